//! Findings about the files of a spec: reading, including, substitution, keys and values.

findings! {
    SYNTAX = "SPEC0001" Error "invalid YAML",
        "The text is not well-formed YAML. Nothing after this place was checked.",
        "Correct the syntax at this place.";
    UNREADABLE = "SPEC0002" Error "cannot read the file",
        "The file or directory does not exist, is not readable, or is not a regular file.",
        "Check the path and the permissions.";
    TOO_LARGE = "SPEC0003" Error "the file is too large",
        "A file of a spec has at most 24 MiB and 2,000,000 values, and takes at most 220 MiB of memory, which is some 200,000 records.",
        "Write one file for each zone and include them.";
    NOT_TEXT = "SPEC0004" Error "the file is not text",
        "A spec is UTF-8 text without NUL bytes.",
        "Save the file as UTF-8.";
    NOTHING = "SPEC0005" Error "nothing to read",
        "An input, an included path or a file holds no spec. An empty spec is refused, because it could be mistaken for a spec that manages nothing.",
        "Check the path, or add `version: 1` and `zones:`.";
    INCLUDE_REFUSED = "SPEC0006" Error "cannot include the path",
        "Included paths must stay below the directory of the file or directory that was given, after symbolic links are resolved.",
        "Move the file below that directory, or name it on the command line.";
    DIRECTORY_LOOP = "SPEC0007" Error "directory loop",
        "A symbolic link leads back to a directory that contains it.",
        "Remove the link.";
    DUPLICATE_KEY = "SPEC0008" Error "duplicate key",
        "The mapping has this key more than once. Most YAML readers silently keep one of them.",
        "Remove one of the keys, or merge their values.";
    TOO_DEEP = "SPEC0009" Error "nested too deeply",
        "Lists and mappings are nested deeper than any spec needs.",
        "Remove levels.";
    TOO_MANY_ALIASES = "SPEC0010" Error "aliases expand to too many values",
        "Aliases expand to at most a million values, or 256 MB of text, so that a small file cannot fill the memory.",
        "Write the values out, or use a profile.";
    MERGE_KEY = "SPEC0011" Error "merge keys are not supported",
        "`<<` is not part of YAML 1.2, and it hides where a value comes from.",
        "Use `defaults:` or a profile.";
    TAG = "SPEC0012" Error "YAML tags are not supported",
        "A tag such as `!secret` or `!!str` precedes the value. A spec needs none.",
        "Remove the tag; quote the value if it must be text.";
    SEVERAL_DOCUMENTS = "SPEC0013" Error "several YAML documents in one file",
        "One file holds one document, and `---` begins another.",
        "Move each document to a file of its own.";
    KEY_NOT_TEXT = "SPEC0014" Error "the key is not plain text",
        "A list or a mapping is used as a key.",
        "Write a plain word before the colon.";
    VERSION = "SPEC0015" Error "missing or unknown spec version",
        "Each file says `version: 1`, so that an upgrade never changes what an old spec means.",
        "Write `version: 1` at the top of the file.";
    UNKNOWN_KEY = "SPEC0016" Error "unknown key",
        "There is no such key at this level.",
        "Correct the spelling, or remove the key. The schema lists the keys.";
    SECRET = "SPEC0018" Error "secrets do not belong in a spec",
        "The key names a credential. Credentials come from the environment.",
        "Remove the key, revoke the credential if it was committed, and set CLOUDFLARE_API_TOKEN or CLOUDFLARE_API_TOKEN_FILE.";
    WRONG_KIND = "SPEC0019" Error "wrong type of value",
        "The key takes another type: text, a number, a list or a mapping.",
        "Write a value of the type that the message names.";
    UNKNOWN_WORD = "SPEC0020" Error "invalid value",
        "The key takes one of a few words.",
        "Write one of the words that the message lists.";
    MISSING_KEY = "SPEC0021" Error "missing key",
        "The mapping lacks a required key.",
        "Add the key.";
    OUT_OF_RANGE = "SPEC0022" Error "value out of range",
        "The number is too small or too large, or the text is too long.",
        "Write a value within the range that the message names.";
    NO_ZONES = "SPEC0023" Error "the spec has no zones",
        "A spec without zones is refused, because it could be mistaken for a spec that manages nothing.",
        "Add at least one zone under `zones:`.";
    UNDEFINED_VARIABLE = "SPEC0024" Error "undefined variable",
        "`${NAME}` is neither under `variables:` nor given with `--var`. The environment is not used.",
        "Define it under `variables:`, or pass `--var NAME=VALUE`.";
    SUBSTITUTION = "SPEC0025" Error "invalid substitution",
        "`${` begins a substitution, which ends with `}`.",
        "Write `${NAME}`, or `$${` for the two characters themselves.";
    VARIABLE_CLASH = "SPEC0026" Error "the variable has two values",
        "All files share their variables, and two files give this one different values.",
        "Keep one of the definitions.";
    VARIABLE = "SPEC0027" Error "invalid variable",
        "The name of a variable has letters, digits and `_`. Its value is a single value without `${…}`.",
        "Rename the variable, or write its value out.";
    ZONE_CLASH = "SPEC0028" Error "two fragments of the zone contradict each other",
        "Fragments of a zone are merged, so what they say about the zone itself must agree.",
        "Say it in one of the fragments only.";
    DEFAULTS_CLASH = "SPEC0029" Error "the file inherits different defaults",
        "The file is included from several files with different `defaults`, so it is unclear which apply.",
        "Include the file once, or give it its own `defaults`.";
    DATE = "SPEC0030" Error "invalid date",
        "Dates are written YYYY-MM-DD.",
        "Write the date as in 2027-03-01.";
    TOMBSTONE = "SPEC0031" Error "not possible for an absent record",
        "`state: absent` takes a name, a type and optionally a value. Anything else would have no effect.",
        "Remove the key.";
    VALUE_FORM = "SPEC0032" Error "a record needs either `content` or `data`",
        "A record has its value in exactly one of the two forms.",
        "Write one of them.";
    IGNORE = "SPEC0033" Error "invalid ignore pattern",
        "A pattern needs at least one of `name`, `type`, `content` and `tag`, and its globs must be well-formed.",
        "Correct or remove the pattern.";
    IGNORE_IDLE = "SPEC0034" Note "the ignore patterns have no effect",
        "`ignore` makes exceptions from `unmanaged: prune`. With `keep`, records that the spec does not name are kept anyway.",
        "Remove `ignore`, or write `unmanaged: prune`.";
    NOT_UNDERSTOOD = "SPEC0035" Error "cannot read the value",
        "The value passed every other check and still could not be read.",
        "Compare it with the schema of the spec.";
    TOO_MANY = "SPEC0036" Error "too many findings",
        "After ten thousand findings the rest of the spec is not checked.",
        "Fix the findings above and run the command again.";
    TOO_MUCH_TO_SEARCH = "SPEC0037" Error "too many files to search",
        "For one spec, at most a million files and directories are examined, and at most a thousand links to directories followed.",
        "Name the directory of the spec more precisely.";
    INVALID_SETTING = "SPEC0038" Error "the setting cannot have this value",
        "Known zone settings are checked against the values that Cloudflare documents.",
        "Write one of the values that the message names.";
    UNLISTED_SETTING = "SPEC0039" Note "this version does not know the zone setting",
        "The setting is sent as it is written. Cloudflare may know it, or refuse it.",
        "Check the name of the setting.";
    UNUSED_VARIABLE = "SPEC0040" Error "the variable is not used",
        "A variable that is given with `--var` and that no file defines or uses is probably misspelled.",
        "Correct the name, or remove the variable.";
    PUBLIC_SUFFIX = "SPEC0041" Error "the zone is a public suffix",
        "A zone is a domain that someone registered. Anyone can register names below a public suffix, so it is not a zone.",
        "Write the registered domain, such as `example.com`.";
    UNUSED_SUPPRESSION = "SPEC0042" Note "the lint suppression has no effect",
        "The lint finds nothing here, so the suppression would only hide a later finding.",
        "Remove the suppression.";
    INVALID_SUPPRESSION = "SPEC0043" Error "invalid lint suppression",
        "A suppression names a lint by its code and says why.",
        "Write `lint: { LINT0002: reason }`.";
    EXPECTATION = "SPEC0044" Error "invalid expectation",
        "An expectation demands one thing: an answer (`resolve`), how a domain receives and sends mail (`mail`), who may issue certificates (`certificates`), networks that are not published (`hidden`), or what happens to a request (`request` or `curl`).",
        "Correct the expectation as the message says.";
    SETTING_WITHOUT_EFFECT = "SPEC0045" Warning "the setting has no effect on this record",
        "Cloudflare has each setting for some record types only. `flatten_cname` needs a record that is not proxied, the others need a proxied one. Cloudflare may drop the setting, and then the record never matches the spec.",
        "Remove the setting.";
    CARRIAGE_RETURN = "SPEC0046" Error "carriage return without a line feed",
        "YAML takes a carriage return alone for the end of a line. Editors and reviews show one line, so that a part of the spec could hide behind a comment.",
        "Save the file with line feeds as line ends.";
}
