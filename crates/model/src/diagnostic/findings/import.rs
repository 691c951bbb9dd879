//! Findings about sources that are imported.

findings! {
    UNREADABLE_SOURCE = "IMPORT0001" Error "the source cannot be read",
        "Nothing of it is imported.",
        "Check the path and the format; --from names the format if it is not recognized.";
    NOT_TRANSLATED = "IMPORT0002" Warning "an entry is not translated",
        "A spec has no equivalent, so the entry is left out. It stays as it is at Cloudflare.",
        "Keep it where it is maintained, or write it in the spec by hand.";
    UNKNOWN_VALUE = "IMPORT0003" Warning "a value is not known",
        "The entry depends on a value that the source does not contain, and is left out.",
        "Supply the value, for example in a `.tfvars` file, or import the state instead.";
    INVALID_IN_SOURCE = "IMPORT0004" Warning "an entry is not valid",
        "Its format does not allow it, or Cloudflare would refuse it. It is left out of the spec.",
        "Correct it in the source, or write it in the spec by hand.";
    UNKNOWN_ZONE = "IMPORT0005" Warning "the zone of an entry is not known",
        "The source refers to the zone by something that does not contain its name, so the entry is left out.",
        "Name the zone: `--zone-name example.com` for all such entries, or `--zone-name ID=example.com`.";
    OTHER_MEANING = "IMPORT0006" Note "an entry does not do what it appears to do",
        "The spec says what Cloudflare does with the entry, not what the entry appears to say.",
        "Check in the spec that this is what you intend.";
    ONLY_IN_SOURCE = "IMPORT0007" Warning "an entry of the source is not at Cloudflare",
        "It was never applied, or someone deleted it at Cloudflare.",
        "Remove it from the spec, or keep it: the first apply then creates it.";
    ONLY_AT_CLOUDFLARE = "IMPORT0008" Warning "an entry at Cloudflare is not in the source",
        "Someone created it outside the source. The spec does not manage it, so it stays as it is.",
        "To manage it, add it to the spec; `zonewright import ZONE` writes everything that Cloudflare has.";
    DIFFERENT_AT_CLOUDFLARE = "IMPORT0009" Warning "the value at Cloudflare is not that of the source",
        "Someone changed it outside the source, or the source was never applied.",
        "Keep the value that you want in the spec; the first apply writes it to Cloudflare.";
    CONTRADICTING_SOURCES = "IMPORT0010" Error "sources contradict each other",
        "Two entries say different things about one thing, and the sources do not say which one is in force.",
        "Import the one that is in force alone, or name the one to leave out.";
    ZONE_IN_PART = "IMPORT0011" Warning "a zone is imported in part",
        "The zone has records from a source that cannot be read. Never use `unmanaged: prune` for this zone: it would delete them.",
        "Import the live zone instead: `zonewright import ZONE`.";
    IN_PART = "IMPORT0012" Warning "an entry is imported in part",
        "The spec has less than the entry says. The entry is not handed over: it stays in the old tool.",
        "Check whether you need what is missing. If not, remove it from the source.";
    READ_OTHERWISE = "IMPORT0013" Note "octoDNS reads a value otherwise than it looks",
        "The spec has what octoDNS publishes, not what the file appears to say.",
        "Check in the spec that this is what you intend.";
    REFUSED_BY_OCTODNS = "IMPORT0014" Note "octoDNS would refuse what is read here",
        "octoDNS never publishes the zone like this, so the file is not what is in force, or octoDNS has other settings.",
        "Check in the spec that this is what you intend.";
    NO_CONFIGURATION = "IMPORT0015" Note "no configuration of octoDNS was read",
        "The configuration says which records go to Cloudflare, and with which TTL. Without it, defaults are assumed.",
        "Name the directory that contains the configuration, if there is one.";
    UNKNOWN_PROVIDER = "IMPORT0017" Error "it is not known which provider is Cloudflare",
        "The source publishes to providers, and only what goes to Cloudflare belongs in the spec.",
        "Name the provider with `--provider NAME`, or put a `creds.json` with its `TYPE` beside the source.";
    ASSUMED = "IMPORT0018" Note "the import assumes what the source does not say",
        "The source leaves it open, and the spec has to say something.",
        "Check in the spec that this is what you intend.";
    GOES_ELSEWHERE = "IMPORT0019" Note "entries do not belong to the zone at Cloudflare",
        "The source publishes them somewhere else, or a name server makes them itself. They are left out of the spec.",
        "Nothing, unless you want them at Cloudflare: then write them in the spec.";
    SKIPPED = "IMPORT0020" Note "an entry is left out on request",
        "`--skip` names the entry, or something that it is in. It stays in the old tool.",
        "To import it, remove the option.";
    UNREADABLE_VALUES = "IMPORT0021" Warning "a file with values of variables cannot be read",
        "It is encrypted or invalid. Variables that only it sets have no value, and entries that need one are left out. A variable that has \
         another value, such as a default, is imported with that.",
        "Give the values with `--var NAME=VALUE` or `--var-file FILE`, or import the state instead.";
    NAMES_NOTHING = "IMPORT0022" Error "an option names something that no source has",
        "The option would have no effect. Nothing is imported.",
        "Correct the name, or remove the option.";
    UNUSED_VALUE = "IMPORT0023" Warning "a file sets a variable that no configuration declares",
        "The value has no effect.",
        "Correct the name in the file, or declare the variable.";
    ACTS_ON_ZONE = "IMPORT0024" Note "something else acts on a zone",
        "Cloudflare has it, and a spec does not manage it, so the import does not contain it. It stays as it is.",
        "Keep it where it is maintained. It can change what the records and rules of the spec do.";
    NOT_SHOWN = "IMPORT0025" Warning "it is not known what a zone has",
        "Cloudflare does not show it to these credentials, so the import does not contain it. It stays as it is.",
        "Give the token the permission that the message names, and import the zone once more.";
    SETTING_LEFT_OUT = "IMPORT0026" Note "a setting is left out",
        "It is not at its default, but a spec cannot set it, or it does not last.",
        "Check whether the spec should say something about it.";
    NOT_LOOKED_AT = "IMPORT0027" Note "parts of the zones were not looked at",
        "The first import of many zones stays below 100 requests, so it reads their records, rules and settings only.",
        "Import a zone alone to see everything that it has: `zonewright import ZONE`.";
    INFORMS_ONLY = "IMPORT0028" Note "a text that only informs is not in the spec",
        "A spec has no place for it. It stays as it is at Cloudflare, and changes nothing that Cloudflare does.",
        "Nothing has to be done. To keep it with the spec, write it there as a comment.";
    ONE_TTL = "IMPORT0029" Note "the records of a name and type have one TTL",
        "RFC 2181 section 5.2 requires it. BIND gives records that follow each other the TTL of the first one, and all of them the TTL of \
         the entries that the file has last. The spec has what BIND would publish.",
        "Write the same TTL at all records of the name and type.";
}
