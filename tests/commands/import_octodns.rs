//! `import` of configurations of octoDNS: which zones, records and TTLs they publish at Cloudflare.

use std::fs;

use crate::support::workspace::{Ran, Workspace, options};

const YAML: &str = "octodns.provider.yaml.YamlProvider";
const CLOUDFLARE: &str = "{class: octodns_cloudflare.CloudflareProvider, token: env/TOKEN}";

/// Returns a directory with files.
fn tree(files: &[(&str, &str)]) -> Workspace {
    let workspace = Workspace::empty(options());
    for (path, text) in files {
        workspace.file(path, text);
    }
    workspace
}

/// Imports without Cloudflare.
#[track_caller]
fn import(workspace: &Workspace, arguments: &[&str], code: i32) -> Ran {
    let all: Vec<&str> =
        ["import"].iter().chain(arguments).chain(&["--offline"]).copied().collect();
    workspace.run(&all).exits(code)
}

/// Asserts that an output has each of these words.
#[track_caller]
fn says(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

/// Asserts that a spec has each of these records, whatever its columns and quotes.
#[track_caller]
fn has_records(spec: &str, records: &[&str]) {
    let words: Vec<&str> = spec.split_whitespace().collect();
    let plain = words.join(" ").replace(['"', '\''], "");
    for record in records {
        assert!(plain.contains(record), "{record}\n{spec}");
    }
}

/// Returns a configuration with one provider of files, Cloudflare and another target.
fn configuration(options: &str, zones: &str) -> String {
    format!(
        "providers:\n  files: {{class: {YAML}, directory: ./zones{options}}}\n  cf: {CLOUDFLARE}\n  \
         dns: {{class: octodns_powerdns.PowerDnsProvider, host: env/HOST}}\nzones:\n  {zones}\n"
    )
}

/// Records for the rules about targets.
const RECORDS: &str = "at: {type: A, value: 192.0.2.1}\nlenient: {octodns: {lenient: true}, ttl: 60, type: A, value: 192.0.2.2}\n\
    nowhere: {octodns: {ignored: true}, type: A, value: 192.0.2.3}\nonly: {octodns: {included: [dns]}, type: A, value: 192.0.2.4}\n\
    without: {octodns: {excluded: [cf]}, type: A, value: 192.0.2.5}\n";

#[test]
fn records_go_to_the_targets_that_the_configuration_names() {
    let config = configuration(
        ", default_ttl: 900",
        "example.com.: {sources: [files], targets: [cf, dns]}\n  inside.example.: {sources: [files], targets: [dns]}",
    );
    let workspace = tree(&[
        ("dns/octodns.yaml", &config),
        ("dns/zones/example.com.yaml", RECORDS),
        ("dns/zones/inside.example.yaml", "db: {type: A, value: 192.0.2.9}\n"),
        ("dns/zones/unused.example.yaml", "x: {type: A, value: 192.0.2.8}\n"),
    ]);
    let ran = import(&workspace, &["./dns/"], 0);
    has_records(
        &ran.stdout,
        &[
            "name: at, type: A, content: 192.0.2.1, ttl: 900",
            "name: lenient, type: A, content: 192.0.2.2, ttl: 120",
        ],
    );
    for absent in ["nowhere", "only", "without", "inside.example", "unused.example"] {
        assert!(!ran.stdout.contains(absent), "{}", ran.stdout);
    }
    says(
        &ran.stderr,
        &[
            "nowhere A of example.com: it is `ignored`",
            "only A of example.com: it is `included` in `dns` only, not in `cf`",
            "without A of example.com: it is `excluded` from `cf`",
            "zone inside.example: in ./dns/octodns.yaml, it goes to `dns` (octodns_powerdns.PowerDnsProvider), not to Cloudflare",
            "left out: db A of inside.example",
            "octoDNS raises TTLs below 120 seconds to 120 (`min_ttl`)",
            "IMPORT0013",
            "record: 2 of 6 imported",
            "no configuration of octoDNS that was read names it: ./dns/zones/unused.example.yaml",
        ],
    );
    // Names another target, for someone who moves to Cloudflare.
    let ran = import(&workspace, &["./dns/", "--target", "dns"], 0);
    has_records(
        &ran.stdout,
        &[
            "name: lenient, type: A, content: 192.0.2.2, ttl: 60",
            "name: only,",
            "name: without,",
            "inside.example:",
            "192.0.2.9",
        ],
    );
    assert!(!ran.stdout.contains("nowhere"), "{}", ran.stdout);
    let ran = import(&workspace, &["./dns/", "--target", "cloudflare"], 1);
    says(
        &ran.stderr,
        &["no zone of octoDNS has the target `cloudflare`", "the zones go to `cf`, `dns`"],
    );
}

#[test]
fn two_configurations_are_two_views() {
    let config = |class: &str, directory: &str| {
        format!(
            "providers:\n  files: {{class: {YAML}, directory: ./{directory}, default_ttl: 300}}\n  cloudflare: {{class: {class}}}\n\
             zones: {{example.com.: {{sources: [files], targets: [cloudflare]}}}}\n"
        )
    };
    let workspace = tree(&[
        ("views/in/config.yaml", &config("octodns_mikrotik.MikroTikProvider", "in")),
        ("views/in/example.com.yaml", "db: {type: A, value: 10.0.0.5}\n"),
        ("views/out/config.yaml", &config("octodns_cloudflare.CloudflareProvider", "out")),
        ("views/out/example.com.yaml", "www: {type: A, value: 192.0.2.1}\n"),
    ]);
    // A provider is what its class says, whatever it is called.
    let ran = import(&workspace, &["./views/"], 0);
    has_records(&ran.stdout, &["name: www, type: A, content: 192.0.2.1, ttl: 300"]);
    assert!(!ran.stdout.contains("10.0.0.5"), "{}", ran.stdout);
    says(
        &ran.stderr,
        &[
            "in ./views/in/config.yaml, it goes to `cloudflare` (octodns_mikrotik.MikroTikProvider)",
            "db A of",
        ],
    );
    // The directory of a provider is relative to the directory in which octoDNS runs, which is
    // above the named one.
    let ran = import(&workspace, &["./views/in"], 1);
    says(
        &ran.stderr,
        &[
            "IMPORT0001",
            "`./in`, the directory of a provider, is not below ./views/in",
            "import ./views/",
        ],
    );
    // Two targets at Cloudflare with different records are never merged.
    workspace.file("views/in/config.yaml", config("octodns_cloudflare.CloudflareProvider", "in"));
    let ran = import(&workspace, &["./views/"], 1);
    says(
        &ran.stderr,
        &[
            "IMPORT0010",
            "example.com has different records in",
            "in/config.yaml (target `cloudflare`)",
            "--config FILE",
        ],
    );
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    for config in ["in/config.yaml", "./views/in/config.yaml"] {
        let ran = import(&workspace, &["./views/", "--config", config], 0);
        assert!(
            ran.stdout.contains("10.0.0.5") && !ran.stdout.contains("192.0.2.1"),
            "{}",
            ran.stdout
        );
        says(
            &ran.stderr,
            &["another configuration was chosen with `--config`: ./views/out/config.yaml"],
        );
    }
    let ran = import(&workspace, &["./views/", "--config", "on/config.yaml"], 1);
    says(
        &ran.stderr,
        &[
            "`--config on/config.yaml` is not a configuration of octoDNS below the sources",
            "in/config.yaml",
        ],
    );
    // Equal records are one zone.
    workspace.file("views/in/example.com.yaml", "www: {value: 192.0.2.1, type: A}\n");
    import(&workspace, &["./views/"], 0);
    // Without a configuration, two directories are two views as well.
    for name in ["in", "out"] {
        fs::remove_file(workspace.path().join(format!("views/{name}/config.yaml"))).unwrap();
    }
    let ran = import(&workspace, &["./views/"], 1);
    says(
        &ran.stderr,
        &[
            "IMPORT0010",
            "example.com has files in several directories",
            "in/example.com.yaml",
            "out/example.com.yaml",
        ],
    );
}

#[test]
fn a_source_that_is_not_read_leaves_the_zone_in_part() {
    let with_source = |source: &str| {
        format!(
            "providers:\n  files: {{class: {YAML}, directory: ./zones}}\n  other: {source}\n  cf: {CLOUDFLARE}\n\
             zones: {{example.com.: {{sources: [files, other], targets: [cf]}}}}\n"
        )
    };
    let workspace = tree(&[("dns/zones/example.com.yaml", "www: {type: A, value: 192.0.2.1}\n")]);
    for (source, words) in [
        (
            "{class: octodns_bind.ZoneFileSource, directory: ./x}",
            "its source `other` (octodns_bind.ZoneFileSource) is not read",
        ),
        (
            "{class: octodns.provider.yaml.YamlProvider, directory: env/ZONES/topsecret}",
            "`directory: env/ZONES` of its provider `other`",
        ),
        (
            "{class: octodns_cloudflare.CloudflareProvider}",
            "its source `other` is Cloudflare itself",
        ),
        (
            "{class: octodns.provider.yaml.YamlProvider, directory: ./more}",
            "there is no file for example.com in ./dns/more",
        ),
    ] {
        workspace.file("dns/more/.keep", "");
        workspace.file("dns/config.yml", with_source(source));
        let ran = import(&workspace, &["./dns/"], 0);
        says(&ran.stderr, &["IMPORT0011", words, "unmanaged: prune"]);
        says(&ran.stdout, &["192.0.2.1"]);
        assert!(!ran.stdout.contains("prune") && !ran.stderr.contains("topsecret"), "{ran:?}");
        // The zone is not handed over.
        let ran = import(&workspace, &["./dns/", "--handover", "script"], 1);
        assert!(!ran.stdout.contains("remove the zone"), "{}", ran.stdout);
    }
}

#[test]
fn sources_are_merged_in_order() {
    let config = |replaces: bool| {
        format!(
            "providers:\n  first: {{class: {YAML}, directory: ./first}}\n  \
             last: {{class: {YAML}, directory: ./last, populate_should_replace: {replaces}, default_ttl: 60}}\n  \
             cf: {{class: octodns_cloudflare.CloudflareProvider, min_ttl: 30}}\n\
             zones: {{example.com.: {{sources: [first, last], targets: [cf]}}}}\n"
        )
    };
    let workspace = tree(&[
        ("octodns.yaml", &config(true)),
        (
            "first/example.com.yaml",
            "a: {type: A, value: 192.0.2.1}\nwww: {type: A, value: 192.0.2.1}\n",
        ),
        (
            "last/example.com.yaml",
            "b: {type: A, value: 192.0.2.2}\nwww: {type: A, value: 192.0.2.2}\n",
        ),
    ]);
    let ran = import(&workspace, &["."], 0);
    has_records(
        &ran.stdout,
        &[
            "name: a, type: A, content: 192.0.2.1, ttl: 3600",
            "name: b, type: A, content: 192.0.2.2, ttl: 60",
            "name: www, type: A, content: 192.0.2.2, ttl: 60",
        ],
    );
    says(
        &ran.stderr,
        &[
            "www A of example.com: a later source of the zone replaces it",
            "record: 3 of 4 imported",
        ],
    );
    workspace.file("octodns.yaml", config(false));
    let ran = import(&workspace, &["."], 1);
    says(
        &ran.stderr,
        &[
            "IMPORT0010",
            "www A of example.com: two record sets have this name and type",
            "example.com.yaml:2",
        ],
    );
}

#[test]
fn zones_follow_from_patterns_aliases_and_split_files() {
    let workspace = tree(&[
        (
            "dns/ext/production.yaml",
            &format!(
                "providers:\n  z: {{class: {YAML}, directory: ext/zones, default_ttl: 300, split_extension: .zone}}\n  cf: {CLOUDFLARE}\n\
                 zones:\n  '*': {{sources: [z], targets: [cf]}}\n  copy.example.: {{alias: example.com.}}\n  \
                 lost.example.: {{alias: nowhere.example.}}\n"
            ),
        ),
        ("dns/ext/zones/example.com.zone/main.yaml", "www: {type: A, value: 192.0.2.1}\n"),
        ("dns/ext/zones/example.com.zone/.yaml", "'': {type: A, value: 192.0.2.2}\n"),
        ("dns/ext/zones/example.org.yaml", "www: {type: A, value: 192.0.2.3}\n"),
    ]);
    let ran = import(&workspace, &["./dns/", "--config", "ext/production.yaml"], 0);
    for zone in ["example.com:", "copy.example:", "example.org:"] {
        says(&ran.stdout, &[zone]);
    }
    assert_eq!(
        ran.stdout.matches("name: www, type: A, content: 192.0.2.").count(),
        3,
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stdout.matches("192.0.2.2").count(), 2, "{}", ran.stdout);
    says(
        &ran.stderr,
        &["zone lost.example: it is an alias of `nowhere.example.`, which is not a zone"],
    );
}

#[test]
fn a_zone_that_octodns_never_publishes_is_left_out() {
    let zones = "example.com.: {sources: [files], targets: [cf, dns], always-dry-run: true}\n  \
                 copy.example.: {alias: example.com.}\n  none.example.: {sources: [files]}\n  \
                 example.org.: {sources: [files], targets: [cf], always-dry-run: false}";
    let workspace = tree(&[
        ("octodns.yaml", &configuration("", zones)),
        ("zones/example.com.yaml", "www: {type: A, value: 192.0.2.1}\n"),
        ("zones/example.org.yaml", "www: {type: A, value: 192.0.2.2}\n"),
        ("zones/none.example.yaml", "www: {type: A, value: 192.0.2.3}\n"),
    ]);
    let ran = import(&workspace, &["."], 0);
    assert!(
        ran.stdout.contains("  example.org:") && ran.stdout.contains("  copy.example:"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("  example.com:"), "{}", ran.stdout);
    says(
        &ran.stderr,
        &[
            "zone example.com: in ./octodns.yaml, octoDNS never publishes it (`always-dry-run`); left out: www A",
            "zone none.example: in ./octodns.yaml, it has no targets, so octoDNS publishes it nowhere",
            "record: 2 of 4 imported",
        ],
    );
    let ran = import(&workspace, &[".", "--target", "cf"], 0);
    assert!(ran.stdout.contains("  example.com:"), "{}", ran.stdout);
}

#[test]
fn processors_drop_change_or_are_named() {
    let config = |processor: &str| {
        format!(
            "providers:\n  files: {{class: {YAML}, directory: ./zones}}\n  cf: {CLOUDFLARE}\nprocessors:\n  p: {{{processor}}}\n\
             manager: {{processors: [p]}}\nzones: {{example.com.: {{sources: [files], targets: [cf]}}}}\n"
        )
    };
    let workspace = tree(&[(
        "zones/example.com.yaml",
        "txt: {type: TXT, value: hello}\nwww: {type: A, value: 192.0.2.1}\nwww2: {type: A, value: 192.0.2.2}\n",
    )]);
    for (processor, absent, words) in [
        (
            "class: octodns.processor.filter.TypeAllowlistFilter, allowlist: [A]",
            "hello",
            "txt TXT of example.com: the processor `p`",
        ),
        (
            "class: octodns.processor.filter.NameRejectlistFilter, rejectlist: [/2$/]",
            "www2",
            "www2 A of example.com: the processor `p`",
        ),
        (
            "class: octodns.processor.filter.ValueRejectlistFilter, rejectlist: [/ell/, 192.0.2.9]",
            "hello",
            "txt TXT of example.com: the processor `p`",
        ),
        (
            "class: octodns.processor.filter.ValueAllowlistFilter, allowlist: [/^192/]",
            "hello",
            "txt TXT of example.com: the processor `p`",
        ),
        (
            "class: octodns.processor.filter.NetworkValueRejectlistFilter, rejectlist: [192.0.2.2/31]",
            "www2",
            "www2 A of example.com: the processor `p`",
        ),
        (
            "class: octodns.processor.filter.NetworkValueAllowlistFilter, allowlist: [192.0.2.1]",
            "www2",
            "www2 A of example.com: the processor `p`",
        ),
        (
            "class: octodns.processor.clamp.TtlClampProcessor, max_ttl: 600",
            "3600",
            "the processor `p` changes the TTL to 600",
        ),
        (
            "class: own.Templates",
            "nothing",
            "what its processor `p` (own.Templates) changes is not known",
        ),
    ] {
        workspace.file("octodns.yaml", config(processor));
        let ran = import(&workspace, &["."], 0);
        assert!(!ran.stdout.contains(absent), "{processor}: {}", ran.stdout);
        says(&ran.stderr, &[words]);
    }
}

/// The values are those that octoDNS 1.22.0 publishes from these files.
#[test]
fn templates_are_filled_in_or_left_out() {
    let config = format!(
        "providers:\n  files: {{class: {YAML}, directory: ./zones, enforce_order: false}}\n  cf: {CLOUDFLARE}\nprocessors:\n  \
         p: {{class: octodns.processor.templating.Templating, trailing_dots: false, context: {{team: web, number: 42, flag: true, list: [a], secret: env/KEY}}}}\n\
         zones: {{example.com.: {{sources: [files], targets: [cf], processors: [p]}}}}\n"
    );
    let zone = "txt: {type: TXT, values: ['zone {zone_name} {record_fqdn} {record_name} {record_type} {record_ttl} {team} {number} {flag}', '\"a\" \"b {{x}}\"', 'no }} template']}\n\
        mx: {type: MX, octodns: {lenient: true}, value: {preference: 10, exchange: 'mx1.{zone_name}.mail.example.net.'}}\n\
        cn: {type: CNAME, octodns: {lenient: true}, value: 'x-{record_name}.{ZONE_NAME}.'}\n\
        caa: {type: CAA, value: {flags: 0, tag: issue, value: 'ca.example; account={team}'}}\n\
        counted: {type: TXT, value: 'left {zone_num_records}'}\nformatted: {type: TXT, value: 'left {team:>9}'}\nlisted: {type: TXT, value: 'left {list[0]}'}\n\
        secret: {type: TXT, value: 'left {secret}'}\nopen: {type: TXT, values: ['left {', ok]}\nunknown: {type: TXT, value: 'left {nothing}'}\n";
    let workspace = tree(&[("octodns.yaml", config.as_str()), ("zones/example.com.yaml", zone)]);
    let ran = import(&workspace, &["."], 0);
    for text in [
        "zone example.com txt.example.com txt TXT 3600 web 42 True",
        "ab {x}",
        "no }} template",
        "mx1.example.com.mail.example.net",
        "x-cn.example.com",
        "ca.example; account=web",
    ] {
        assert!(ran.stdout.contains(text), "{text}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("left ") && !ran.stdout.contains("_name}"), "{}", ran.stdout);
    says(
        &ran.stderr,
        &[
            "counted TXT of example.com: what octoDNS makes of its template `{zone_num_records}` is not known",
            "formatted TXT of example.com: what octoDNS makes of its template `{team:>9}` is not known",
            "listed TXT of example.com: what octoDNS makes of its template `{list[0]}` is not known",
            "secret TXT of example.com: what octoDNS makes of its template `{secret}` is not known",
            "open TXT of example.com: a `{` without `}`; a literal one is written `{{`; octoDNS refuses it",
            "unknown TXT of example.com: the template parameter `nothing` is not defined; octoDNS refuses it",
            "record: 7 of 13 imported",
        ],
    );
}

#[test]
fn values_are_what_octodns_makes_of_them() {
    let text = "'1.20': {type: TXT, value: '\"one\" \"two\"'}\n010: {type: A, ttl: 0600, value: 192.0.2.1}\n\
        dkim: {type: TXT, value: v=DKIM1\\; k=rsa}\nno: {type: MX, value: {exchange: mx.example.net., preference: 010}}\n\
        open: {type: TXT, value: '\"cut off'}\nraw: {type: TXT, value: v=x; y}\n\
        twice: {type: A, value: 192.0.2.2}\ntwice: {type: A, value: 192.0.2.3}\nnumber: {type: TXT, value: 1.20}\n\
        alias: {type: CNAME, value: host.example.net}\n";
    let workspace = tree(&[("example.com.yaml", text)]);
    let ran = import(&workspace, &["./example.com.yaml"], 0);
    for line in [
        "name: 1.20, type: TXT, content: onetwo, ttl: 3600",
        "name: 8, type: A, content: 192.0.2.1, ttl: 384",
        "name: dkim, type: TXT, content: v=DKIM1; k=rsa, ttl: 3600",
        "name: false, type: MX, priority: 8, content: mx.example.net, ttl: 3600",
        "name: open, type: TXT, content: cut of, ttl: 3600",
        "name: raw, type: TXT, content: v=x; y, ttl: 3600",
        "name: twice, type: A, content: 192.0.2.3, ttl: 3600",
        "name: number, type: TXT, content: 1.20, ttl: 3600",
        "name: alias, type: CNAME, content: host.example.net, ttl: 3600",
    ] {
        has_records(&ran.stdout, &[line]);
    }
    says(
        &ran.stderr,
        &[
            "IMPORT0013",
            "octoDNS reads the key `010` as `8`",
            "octoDNS reads the key `no` as `False`",
            "octoDNS reads `ttl: 0600` as 384",
            "octoDNS reads `preference: 010` as 8",
            "octoDNS removes its first and its last character",
            "the key is in this mapping twice; octoDNS takes the last one",
            "IMPORT0014",
            "`;` needs a backslash in front, unless the provider has `escaped_semicolons: false`",
            "the value is not in quotes, so YAML reads it as a number",
            "a target of CNAME has no final dot; it is read as a full name",
            "the key `ttl` is not in order",
            "IMPORT0015",
            "each file is taken for a zone of Cloudflare",
        ],
    );
    assert_eq!(ran.stderr.matches("IMPORT0015").count(), 1, "{}", ran.stderr);
}

/// What octoDNS does not read is named, and is not a part of the record.
#[test]
fn keys_that_octodns_ignores_are_named() {
    let workspace = tree(&[(
        "z/example.com.yaml",
        "a: {type: A, value: 192.0.2.1, values: [192.0.2.2]}\nb: {type: CNAME, value: x.example.net., values: [y.example.net.]}\n\
         c: {octodns: {cloudflare: {comment: [x], proxy: true, tags: [a, [b]]}}, type: A, value: 192.0.2.3, weight: 5}\n\
         d: {octodns: {cloudflare: {auto-ttl: false, comment: null, proxied: true, tags: [a]}, healthcheck: {path: /}}, ttl: 60, type: A, value: 192.0.2.4}\n",
    )]);
    let ran = import(&workspace, &["./z/", "--from", "octodns"], 0);
    has_records(
        &ran.stdout,
        &["content: 192.0.2.2,", "content: x.example.net,", "192.0.2.3", "192.0.2.4"],
    );
    for value in ["192.0.2.1,", "y.example.net"] {
        assert!(!ran.stdout.contains(value), "{}", ran.stdout);
    }
    says(
        &ran.stderr,
        &[
            "octoDNS ignores `value` of a record beside `values`",
            "octoDNS ignores `values` of a record beside `value`",
            "octoDNS ignores `weight` of a record",
            "octodns-cloudflare ignores `proxy`",
            "`comment` is not a text, and left out",
            "`tags` are not a list of texts, and left out",
            "record: 4 of 4 imported",
        ],
    );
    assert_eq!(ran.stderr.matches("IMPORT0013").count(), 6, "{}", ran.stderr);
}

#[test]
fn options_about_octodns_need_octodns() {
    let workspace = tree(&[("a.csv", "name,type,content\nwww,A,192.0.2.1\n")]);
    for option in [["--config", "x.yaml"], ["--target", "cf"]] {
        for source in ["./a.csv", "example.com"] {
            let ran = workspace
                .run(&["import", source, "--zone-name", "example.com", option[0], option[1]])
                .exits(64);
            says(&ran.stderr, &[option[0], "no file of octoDNS is among the sources"]);
        }
    }
}

#[test]
fn hostile_configurations_are_refused_or_named() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("example.com.yaml"), "topsecret: {type: A, value: 192.0.2.66}\n")
        .unwrap();
    let outside_path = outside.path().display().to_string();
    let zones = "example.com.: {sources: [files], targets: [cf]}";
    let good = "www: {type: A, value: 192.0.2.1}\n";
    for (config, code) in [
        (
            format!(
                "providers: {{files: {{class: {YAML}, directory: {outside_path}}}, cf: {CLOUDFLARE}}}\nzones: {{{zones}}}\n"
            ),
            1,
        ),
        (
            format!(
                "providers: {{files: {{class: {YAML}, directory: ../../../..}}, cf: {CLOUDFLARE}}}\nzones: {{{zones}}}\n"
            ),
            1,
        ),
        (
            format!(
                "providers: {{files: {{class: {YAML}, directory: link}}, cf: {CLOUDFLARE}}}\nzones: {{{zones}}}\n"
            ),
            1,
        ),
        (format!("providers: {{files: [], cf: {CLOUDFLARE}}}\nzones: {{{zones}}}\n"), 0),
        (format!("providers: {{files: {{class: [1]}}, cf: 7}}\nzones: {{{zones}}}\n"), 1),
        (configuration("", "example.com.: 7"), 1),
        (configuration("", "example.com.: {sources: {a: 1}, targets: cf}"), 0),
        (configuration("", "'*': {sources: [files], targets: [cf], regex: '('}"), 1),
        (configuration(", shared_filename: absent.yaml", zones), 1),
        (configuration(", split_extension: '', default_ttl: many", zones), 0),
        (
            configuration("", "'\\u0007.example.': {sources: [files], targets: [cf]}")
                .replace('\'', "\""),
            1,
        ),
    ] {
        let workspace =
            tree(&[("dns/octodns.yaml", &config), ("dns/zones/example.com.yaml", good)]);
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), workspace.path().join("dns/link")).unwrap();
        let ran = import(&workspace, &["./dns/"], code);
        assert!(
            !ran.stdout.contains("topsecret") && !ran.stderr.contains("panicked"),
            "{config}\n{ran:?}"
        );
        assert!(!ran.stderr.contains('\u{7}'), "{ran:?}");
    }
}
