//! `import` of Terraform: expressions and templates have the values that Terraform gives them.
//! The expected values are those of Terraform 1.11.4.

use crate::support::imports::workspace;

/// Declarations that the expressions use.
const VARIABLES: &str = r#"
variable "ips" { default = ["192.0.2.1", "192.0.2.2"] }
variable "n" {
  type    = number
  default = "5"
}
variable "s" { default = "x" }
variable "set" {
  type    = set(string)
  default = ["b", "a", "b"]
}
variable "objects" {
  type    = list(object({ n = string, t = optional(number, 300) }))
  default = [{ n = "x" }, { n = 5, t = "60", extra = 1 }]
}
variable "tuple" {
  type    = tuple([string, number])
  default = [1, "2"]
}
variable "any" {
  type    = list(any)
  default = [1, "b"]
}
"#;

/// Returns the values of expressions in JSON, as records publish them.
#[track_caller]
fn values(expressions: &[&str]) -> Vec<String> {
    let workspace = workspace();
    let mut code = VARIABLES.to_owned();
    for (n, expression) in expressions.iter().enumerate() {
        code.push_str(&format!(
            "locals {{\n  e{n} = {expression}\n}}\nresource \"cloudflare_dns_record\" \"r{n}\" {{\n  zone_id = \"0123456789abcdef0123456789abcdef\"\n  \
             name = \"r{n}\"\n  type = \"TXT\"\n  ttl = 300\n  content = base64encode(jsonencode(local.e{n}))\n}}\n"
        ));
    }
    workspace.file("infra/main.tf", code);
    let ran = workspace.run(&["import", "./infra/", "--offline", "--zone-name", "example.com"]);
    let spec: serde_yaml::Value = serde_yaml::from_str(&ran.stdout).unwrap();
    let records = spec["zones"]["example.com"]["records"].as_sequence().unwrap();
    let value = |n: usize| {
        let record =
            records.iter().find(|record| record["name"].as_str() == Some(&format!("r{n}")));
        let Some(record) = record else { return "left out".to_owned() };
        let content = record["content"].as_str().unwrap().trim_matches('"');
        String::from_utf8(data_encoding::BASE64.decode(content.as_bytes()).unwrap()).unwrap()
    };
    (0..expressions.len()).map(value).collect()
}

/// Checks a table of expressions and their values in JSON.
#[track_caller]
fn check(table: &[(&str, &str)]) {
    let expressions: Vec<&str> = table.iter().map(|(expression, _)| *expression).collect();
    let wrong: Vec<String> = values(&expressions)
        .into_iter()
        .zip(table)
        .filter(|(value, (_, expected))| value != expected)
        .map(|(value, (expression, expected))| format!("{expression}\n  {value}\n  {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn strip_markers_and_indentation_of_templates() {
    check(&[
        (
            r#""v=spf1 %{ for ip in var.ips ~} ip4:${ip} %{ endfor ~} -all""#,
            r#""v=spf1 ip4:192.0.2.1 ip4:192.0.2.2 -all""#,
        ),
        (
            r#""v=spf1 %{~ for ip in var.ips } ip4:${ip} %{~ endfor } -all""#,
            r#""v=spf1 ip4:192.0.2.1 ip4:192.0.2.2 -all""#,
        ),
        (r#""v=spf1 %{ if var.n > 3 ~} a %{ else ~} b %{ endif ~} -all""#, r#""v=spf1 a -all""#),
        (r#""a ${~ var.s ~}  b""#, r#""axb""#),
        (r#"" ${~ 5 ~} ""#, r#""5""#),
        (r#""${~ 5 ~}""#, "5"),
        // A line of a heredoc is trimmed up to its end, and then is no line of its own.
        (
            "<<-EOT\n    a\n      b ${var.s}\n    %{ if true ~}\n      c\n    %{ endif ~}\n    end\n  EOT\n",
            r#""a\n  b x\n      c\n    end\n""#,
        ),
        (
            "<<-EOT\n    ${\"x\"} y\n      b ${\"x\"}\n    %{ if true }\n      c\n    %{ else }\n   z\n    %{ endif }\n    $x\n  EOT\n",
            r#"" x y\n   b x\n \n   c\n \n $x\n""#,
        ),
        (
            "<<-EOT\n      a %{ if true ~}   \n    b ~\n     %{~ endif ~}\n\n    c\n  EOT\n",
            r#""      a     b ~\n\n    c\n""#,
        ),
        ("<<-EOT\n\ta\n\n\t  $${b}\n  EOT\n", r#""a\n\n  ${b}\n""#),
        ("<<EOT\n  two $${y} %%{z}\nEOT\n", r#""  two ${y} %{z}\n""#),
    ]);
}

#[test]
fn escapes_of_templates() {
    check(&[
        (r#""$${x} ${var.s}""#, r#""${x} x""#),
        (r#""$${x}""#, r#""${x}""#),
        (r#""%%{i} %{ if true }x%{ endif }""#, r#""%{i} x""#),
        (r#""%{ if true }v=DMARC1; p=\"x\"\tq\\d%{ endif }""#, r#""v=DMARC1; p=\"x\"\tq\\d""#),
        (r#""%{ if true }$${a} %%{b}%{ endif } x""#, r#""${a} %{b} x""#),
        (r#""%{ for i in ["a"] }\u00e9%{ endfor }""#, r#""é""#),
        (r#""a%{ if var.n == 5 }\n%{ endif }b""#, r#""a\nb""#),
    ]);
}

#[test]
fn the_key_of_an_element_of_a_set_is_the_element() {
    check(&[
        (r#"[for k, v in toset(["b", "a"]) : "${k}${v}"]"#, r#"["aa","bb"]"#),
        ("[for k, v in var.set : k]", r#"["a","b"]"#),
        (r#""%{ for k, x in var.set }${k}${x},%{ endfor }""#, r#""aa,bb,""#),
        ("{ for i, x in var.set : i => x }", r#"{"a":"a","b":"b"}"#),
        ("[for i, x in tolist(var.set) : i]", "[0,1]"),
        (r#"[for i, x in setunion(["b"], ["a"]) : i]"#, r#"["a","b"]"#),
        (r#"[for i, x in sort(var.set) : i]"#, "[0,1]"),
        (r#"flatten([var.set, ["q"]])"#, r#"["a","b","q"]"#),
        (r#"toset(["a"]) == toset(["a"])"#, "true"),
        (r#"length(var.set)"#, "2"),
        (r#"join(",", var.set)"#, r#""a,b""#),
    ]);
}

#[test]
fn numbers_are_exact_or_left_out() {
    check(&[
        ("9007199254740993", "9007199254740993"),
        ("\"${123456789012345678}\"", "123456789012345678"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("-100000000000000000000", "-100000000000000000000"),
        ("100000000000000000000 + 1", "100000000000000000001"),
        ("9007199254740993 * 2 - 1", "18014398509481985"),
        ("9007199254740993 > 9007199254740992", "true"),
        (r#"tonumber("9007199254740993")"#, "9007199254740993"),
        (r#"jsondecode("9007199254740993")"#, "9007199254740993"),
        ("1e21", "1000000000000000000000"),
        ("1e-7", "0.0000001"),
        ("[1.0, 1.50, 0.1, -7 % 3, 7 / 2, 10 / 5]", "[1,1.5,0.1,-1,3.5,2]"),
        ("floor(10 / 3)", "3"),
        // Terraform has 155 digits.
        ("1 / 3", "left out"),
        ("1.1 * 3", "left out"),
        ("0.1 + 0.2", "left out"),
        ("floor(0.1 * 3 * 10)", "left out"),
        ("1 / 3 * 3", "left out"),
        ("1 / 3 == 0.3333333333333333", "left out"),
        ("sum([0.1, 0.2])", "left out"),
        // Terraform knows these values, so the second one is not taken.
        ("try(tostring(1 / 3), 7)", "left out"),
        ("try(format(\"%s\", 1 / 3), 7)", "left out"),
        (
            "[1 / 5, 1 / 8, 100 / 8, 0.5 + 0.25, 0.75 * 4, 7.5 % 2, 1.5 / 0.5]",
            "[0.2,0.125,12.5,0.75,3,1.5,3]",
        ),
        ("[ceil(10 / 3), 1 / 3 < 0.4, 1 / 3 == 0.5, sum([1, 2.5])]", "[4,true,false,3.5]"),
        ("-1 / 4", "-0.25"),
        ("1e17 + 1", "100000000000000001"),
        ("1e23 + 1", "100000000000000000000001"),
        ("1e39 + 1", "left out"),
        ("1e400", "left out"),
        ("18446744073709551616.5", "left out"),
        ("0.10000000000000000001", "left out"),
        (r#"tonumber("0.10000000000000000001")"#, "left out"),
        (r#"try(tonumber("1e400"), 7)"#, "left out"),
        (r#"try(jsondecode("1e400"), 7)"#, "left out"),
        (r#"jsondecode("[18446744073709551616, \"1e400\"]")"#, "left out"),
        (
            r#"jsondecode("[18446744073709551615, \"1e400\", -1.5e1]")"#,
            r#"[18446744073709551615,"1e400",-15]"#,
        ),
        ("can(1 / 0)", "left out"),
        (r#"can(tonumber("inf"))"#, "left out"),
        (r#"can(tonumber("1p5"))"#, "left out"),
        ("try(0 / 0, 7)", "7"),
        ("[5 % 0, -5 % 3]", "[5,-2]"),
        ("18446744073709551616 > 1.5", "left out"),
        (
            "[max(18446744073709551616, 1), min(18446744073709551616, 1.0), floor(18446744073709551616), abs(-9007199254740993)]",
            "[18446744073709551616,1,18446744073709551616,9007199254740993]",
        ),
    ]);
}

/// Zero has a sign, which its text shows.
#[test]
fn zero_keeps_its_sign() {
    check(&[
        ("[-0, -(0), 0 * -1, 0 / -5, -0 + -0, -0 % 3, -0.0]", "[-0,-0,-0,-0,-0,-0,-0]"),
        ("[-(-0), 0 - 0, -3 % 3, ceil(-0.5), abs(-0), -0 + 0]", "[0,0,0,0,0,0]"),
        (r#"[tostring(-0), "${-0}", tonumber("-0")]"#, r#"["-0",-0,-0]"#),
        ("[-0 == 0, 0 == -0]", "[true,true]"),
        (r#"yamldecode("a: -0\n-0: b\n")"#, r#"{"-0":"b","a":-0}"#),
    ]);
}

/// A number that the parser cannot read costs itself at most, wherever it is in a file.
#[test]
fn long_numbers_are_read_in_every_place() {
    check(&[
        (
            "\"a ${18446744073709551616} 99999999999999999999\"",
            r#""a 18446744073709551616 99999999999999999999""#,
        ),
        (
            "<<EOT\n99999999999999999999 ${18446744073709551616}\n$${99999999999999999999}\nEOT",
            r#""99999999999999999999 18446744073709551616\n${99999999999999999999}\n""#,
        ),
        (
            "<<-EOT\n  # ${\"x${18446744073709551617}\"} \"\n  EOT\n",
            "\"# x18446744073709551617 \\\"\\n\"",
        ),
        (
            "{ a-99999999999999999999 = 1, a99999999999999999999 = 2 }",
            r#"{"a-99999999999999999999":1,"a99999999999999999999":2}"#,
        ),
        (
            "[ # 99999999999999999999\n /* 99999999999999999999 \" */ 18446744073709551618, // \"\n 1e400 > 1 ? 1 : 2]",
            "left out",
        ),
        (
            "[ # 99999999999999999999\n /* 99999999999999999999 \" */ 18446744073709551618, // \"\n 1]",
            "[18446744073709551618,1]",
        ),
        ("\"\\\"${18446744073709551616}\\\\\"", r#""\"18446744073709551616\\""#),
    ]);
}

/// A function that fails in Terraform fails here, so that `try` takes the next value.
#[test]
fn functions_fail_where_those_of_terraform_fail() {
    let failing = [
        r#"substr("abc", 1.5, 1)"#,
        r#"substr("abc", 1, 1.5)"#,
        r#"element(["a", "b"], 1.5)"#,
        r#"slice(["a", "b"], 0.5, 2)"#,
        r#"slice(["a", "b"], -1, 1)"#,
        r#"slice(["a", "b"], 0, 1.5)"#,
        r#"indent(1.5, "a")"#,
        r#"format("%d", 7 / 2)"#,
        r#"format("%d", "7.5")"#,
        r#"format("%d", "x")"#,
        r#"format("%d", true)"#,
        r#"format("%s", "a", "b")"#,
        r#"format("%s")"#,
        r#"zipmap(["a"], ["b", "c"])"#,
        r#"join(",", "a")"#,
        r#"join(",", [null])"#,
        "sum([])",
        r#"setproduct(["a"])"#,
        r#"alltrue(["a"])"#,
        "sort([null])",
        r#"upper("a", "b")"#,
        r#"length("a", "b")"#,
        r#"tostring("a", "b")"#,
        "keys({ a = 1 }, { b = 1 })",
        "abs(1, 2)",
        "concat()",
        "jsonencode(1, 2)",
        r#"contains(["a"], null)"#,
        r#"tonumber(" 5")"#,
        r#"tonumber("1_0")"#,
        "\"a\" / 2",
    ];
    let tried: Vec<String> =
        failing.iter().map(|failing| format!("try({failing}, \"f\")")).collect();
    let can: Vec<String> = failing.iter().map(|failing| format!("can({failing})")).collect();
    let table = tried.iter().map(|tried| (tried.as_str(), "\"f\""));
    check(&table.chain(can.iter().map(|can| (can.as_str(), "false"))).collect::<Vec<_>>());
    // What Terraform evaluates and an import does not is no failure.
    check(&[
        (r#"try(format("%t", true), "f")"#, "left out"),
        (r#"try(format("%x", 255), "f")"#, "left out"),
        (r#"try(element(["a", "b"], -1), "f")"#, "left out"),
        (r#"try(timestamp(), "f")"#, "left out"),
        (
            "[try(tonumber(null), 7), try(tolist(null), 7), try(tobool(null), 7)]",
            "[null,null,null]",
        ),
        (
            r#"[format("%05d", -5), format("%d", "-0"), format("%5d", -5), format("%d", 1e30)]"#,
            r#"["-0005","0","   -5","1000000000000000000000000000000"]"#,
        ),
        (r#"format("%v", ["a", 1, null, { b = true }])"#, r#""[\"a\",1,null,{\"b\":true}]""#),
        (
            r#"[anytrue([null, "true"]), alltrue([]), join("-", ["a"], [1])]"#,
            r#"[true,true,"a-1"]"#,
        ),
    ]);
}

/// Terraform counts what a reader sees as one character. Texts in which characters can belong
/// together are left out by name.
#[test]
fn characters_are_counted_as_in_terraform() {
    check(&[
        (r#"[length("été"), length("日本"), length("한국"), length("a\nb")]"#, "[3,2,2,3]"),
        (
            r#"[substr("été", 1, 1), substr("été", -2, -1), strrev("abc é")]"#,
            r#"["t","té","é cba"]"#,
        ),
        (r#"format("%5s|", "été")"#, r#""  été|""#),
        (r#"length("e\u0301")"#, "left out"),
        (r#"length("👨‍👩‍👧")"#, "left out"),
        (r#"substr("🇩🇪x", 0, 1)"#, "left out"),
        (r#"strrev("नि")"#, "left out"),
        (r#"length("a\r\nb")"#, "left out"),
        (r#"try(length("👍🏽"), 7)"#, "left out"),
    ]);
}

#[test]
fn functions_have_the_results_of_terraform() {
    check(&[
        ("range(3, 0)", "[3,2,1]"),
        ("range(-2)", "[0,-1]"),
        ("range(5, 0, -2)", "[5,3,1]"),
        ("range(3, 0, 1)", "left out"),
        ("range(0, 1, 0.25)", "[0,0.25,0.5,0.75]"),
        (r#"split(",", "")"#, r#"[""]"#),
        (r#"split("", "")"#, "[]"),
        (
            "jsonencode(\"a<b>&\\u2028\\n\\t\\u0001é\")",
            r#""\"a\\u003cb\\u003e\\u0026\\u2028\\n\\t\\u0001é\"""#,
        ),
        ("jsonencode([1.0, 1e21, 0.000001])", r#""[1,1000000000000000000000,0.000001]""#),
        (r#"title("hello-world foo_bar d'été")"#, r#""Hello-World Foo_bar D'Été""#),
        (r#"[upper("ß"), lower("İ"), upper("àb"), lower("ÀΣ")]"#, r#"["ß","i","ÀB","àσ"]"#),
        (r#"tolist([1, "a", true])"#, r#"["1","a","true"]"#),
        (r#"distinct([1, "1", 1])"#, r#"["1"]"#),
        (r#"tomap({ a = 1, b = "x" })"#, r#"{"a":"1","b":"x"}"#),
        (r#"toset([1, "1", 2])"#, r#"["1","2"]"#),
        (r#"[true ? 1 : "a", false ? 1 : "a", true ? [1] : ["a"]]"#, r#"["1","a",["1"]]"#),
        (r#"coalesce(1, "a")"#, r#""1""#),
        (r#"tobool("1")"#, "true"),
        ("var.objects", r#"[{"n":"x","t":300},{"n":"5","t":60}]"#),
        ("var.tuple", r#"["1",2]"#),
        ("var.any", r#"["1","b"]"#),
    ]);
}

#[test]
fn values_of_yaml_have_the_types_of_terraform() {
    check(&[
        (
            r#"yamldecode("a: yes\nb: 010\nc: 1_000\nd: 0x1F\ne: 1.0\nf: ~\ng: 2001-1-2\nh: 'x'\ni: [a, no]\n")"#,
            r#"{"a":true,"b":10,"c":"1_000","d":31,"e":1,"f":null,"g":"2001-01-02T00:00:00Z","h":"x","i":["a",false]}"#,
        ),
        (
            r#"yamldecode("[1, 'x', y, n, Yes, TRUE, null, Null, NULL, ~, '', off, 'no']")"#,
            r#"[1,"x",true,false,true,true,null,null,null,null,"",false,"no"]"#,
        ),
        (
            r#"yamldecode("a: 1:30\nb: 0o17\nc: .5\nd: 1e3\ne: +1\nf: 1.\ng: -0x1\nh: 0b1\ni: 08\nj: 1.5.2\n")"#,
            r#"{"a":"1:30","b":15,"c":0.5,"d":1000,"e":1,"f":1,"g":"-0x1","h":"0b1","i":8,"j":"1.5.2"}"#,
        ),
        (r#"yamldecode("no: 1\n0x10: 2\n3: x\n")"#, r#"{"16":2,"3":"x","false":1}"#),
        (r#"yamldecode("\"no\": 1")"#, r#"{"no":1}"#),
        (
            r#"yamldecode("a: {no: 1}\nb: {\"no\": 2, 'no ': 'no'}\nc: \"no\"\n")"#,
            r#"{"a":{"false":1},"b":{"no":2,"no ":"no"},"c":"no"}"#,
        ),
        (r#"yamldecode("a: 2001-01-01T00:00:00Z")"#, "left out"),
        (
            r#"yamldecode("a: 1e20\nb: 123456789012345678901234567890\nc: -1.50\n")"#,
            r#"{"a":100000000000000000000,"b":123456789012345678901234567890,"c":-1.5}"#,
        ),
        (r#"yamldecode("a: 1e400")"#, "left out"),
        (r#"yamldecode("a: 1e-400")"#, "left out"),
        (r#"yamldecode("a: 1234567890123456789012345678901234567890123456")"#, "left out"),
        (r#"yamldecode("1e400: a")"#, "left out"),
        (r#"yamldecode("a: .inf")"#, "left out"),
        (r#"yamldecode("-.Inf: a")"#, "left out"),
        (r#"can(yamldecode("a: 'x'\nb: +.INF"))"#, "left out"),
        (
            r#"yamldecode("a: inf\nb: '.inf'\nc: .inform\n")"#,
            r#"{"a":"inf","b":".inf","c":".inform"}"#,
        ),
    ]);
}
