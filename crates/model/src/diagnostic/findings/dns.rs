//! Findings about the zones and records of a spec.

findings! {
    OUTSIDE_ZONE = "DNS0001" Error "the name is outside the zone",
        "The records of a zone are at its name or below it.",
        "Move the record to its zone, or write the name relative to this one.";
    NAME = "DNS0002" Error "invalid domain name",
        "Labels have 1 to 63 octets of letters, digits, `-` and `_`; the whole name has at most 253.",
        "Correct the name.";
    WILDCARD = "DNS0003" Error "misplaced wildcard",
        "`*` is a wildcard only as the whole first label of a name.",
        "Write it as in `*.shops`.";
    VALUE = "DNS0004" Error "invalid value for the record type",
        "The content or data of the record is not valid for its type.",
        "Correct the value as the message says.";
    PRIORITY = "DNS0005" Error "missing or invalid priority",
        "MX and SRV records have a priority from 0 to 65535. Other types have none.",
        "Add, correct or remove `priority`.";
    SERVICE_TYPE = "DNS0006" Error "Cloudflare manages records of this type",
        "Cloudflare writes SOA records itself, so they cannot be managed as records.",
        "Remove the record.";
    EXCLUSIVE = "DNS0007" Error "these record types cannot share a name",
        "A CNAME cannot share a name with A, AAAA or NS records, and NS cannot share one with A or AAAA.",
        "Keep one of the records, or rename one.";
    SECOND_CNAME = "DNS0008" Error "a name can have only one CNAME",
        "The name has two CNAME records.",
        "Remove one of them.";
    REPEATED = "DNS0009" Error "duplicate record",
        "Two records have the same name, type and value, possibly in different spellings.",
        "Remove one of them.";
    CONTRADICTION = "DNS0010" Error "the record is both wanted and absent",
        "A record and a `state: absent` of the same name and type contradict each other.",
        "Remove one of the two entries.";
    SELF_ALIAS = "DNS0011" Error "the CNAME points to itself",
        "The target of the CNAME is its own name.",
        "Correct the target.";
    APEX_NS = "DNS0012" Warning "Cloudflare maintains the name servers of the zone",
        "Cloudflare keeps the NS records at the apex of the zone, and may ignore or refuse those of the spec.",
        "Remove the records, unless the zone has its own name servers.";
    NOT_PROXIABLE = "DNS0013" Error "records of this type cannot be proxied",
        "Only A, AAAA and CNAME records can be proxied.",
        "Remove `proxied`.";
    TTL = "DNS0014" Error "invalid TTL",
        "A TTL is `auto` or 60 to 86400 seconds; Enterprise zones allow 30.",
        "Write `auto` or a number in that range.";
    TTL_ENTERPRISE = "DNS0015" Warning "this TTL needs an Enterprise zone",
        "Cloudflare refuses less than 60 seconds on other plans.",
        "Write 60 or more, unless the zone is on the Enterprise plan.";
    TTL_IGNORED = "DNS0016" Note "the TTL has no effect",
        "Cloudflare sets the TTL of proxied records itself. It is never compared.",
        "Remove `ttl`.";
    COMMENT = "DNS0017" Error "invalid comment",
        "A comment has at most 500 characters on one line.",
        "Shorten the comment.";
    RECORD_TAG = "DNS0018" Error "invalid tag",
        "A tag is `name` or `name:value`; its name has 1 to 32 letters, digits, `-` or `_`.",
        "Correct the tag.";
    TOO_MANY_TAGS = "DNS0019" Error "too many tags",
        "A record has at most 20 tags.",
        "Remove tags.";
    SINGLE_LABEL = "DNS0020" Warning "the target is a single label",
        "Targets are never relative to the zone: `www` means the top-level domain `www`.",
        "Write the whole name of the target.";
    ZONE_NAME = "DNS0021" Error "invalid zone name",
        "A zone is named by its domain, such as example.com.",
        "Correct the name of the zone.";
    ZONE_ID = "DNS0022" Error "invalid zone id",
        "A zone id has 32 hexadecimal digits.",
        "Copy the id from the zone's overview page, or remove `id`.";
}
