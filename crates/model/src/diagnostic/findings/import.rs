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
    OTHER_MEANING = "IMPORT0006" Note "an entry has another effect than it seems",
        "The source is translated by what Cloudflare does with it.",
        "Compare the entry in the spec with what was intended.";
    ONLY_IN_SOURCE = "IMPORT0007" Warning "Cloudflare does not have an entry of the source",
        "The source says it, but it was never applied, or someone removed it at Cloudflare.",
        "Remove it from the spec, or let the first apply create it.";
    ONLY_AT_CLOUDFLARE = "IMPORT0008" Warning "the source does not have an entry of Cloudflare",
        "Someone made it outside of the source. The spec does not manage it, and it stays as it is.",
        "Add it to the spec if the spec is to manage it; `zonewright import ZONE` writes all that Cloudflare has.";
    DIFFERENT_AT_CLOUDFLARE = "IMPORT0009" Warning "Cloudflare has another value than the source",
        "Someone changed it outside of the source, or the source was never applied.",
        "Write the value that is meant into the spec; the first apply changes Cloudflare to what the spec says.";
}
