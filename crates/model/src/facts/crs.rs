//! The OWASP Core Rule Set, version 3.3.5, as plain data: numbers, paranoia levels and scores of
//! its rules.
//!
//! Cloudflare's OWASP Core Ruleset follows the 3.3 line of the Core Rule Set; its own list of rules
//! is available only from the API, and always takes precedence over this table. The table provides
//! scores that Cloudflare does not report, and a catalogue of realistic size for the sandbox.
//!
//! # Sources
//! github.com/coreruleset/coreruleset, tag v3.3.5, rules REQUEST-9xx with a paranoia level and a
//! severity, read 2026-11-20; scores by severity: its documentation on anomaly scoring (critical 5,
//! error 4, warning 3, notice 2).

/// A family of attacks: all rules whose number begins with its three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttackFamily {
    /// The first three digits of the numbers.
    pub prefix: u32,
    /// Its short name on the command line.
    pub key: &'static str,
    /// Its name in sentences.
    pub name: &'static str,
}

/// Families, by number.
#[rustfmt::skip]
pub const ATTACK_FAMILIES: &[AttackFamily] = &[
    AttackFamily { prefix: 910, key: "reputation", name: "IP reputation" },
    AttackFamily { prefix: 911, key: "method", name: "method enforcement" },
    AttackFamily { prefix: 913, key: "scanner", name: "scanner detection" },
    AttackFamily { prefix: 920, key: "protocol", name: "protocol enforcement" },
    AttackFamily { prefix: 921, key: "protocol-attack", name: "protocol attack" },
    AttackFamily { prefix: 922, key: "multipart", name: "multipart attack" },
    AttackFamily { prefix: 930, key: "lfi", name: "local file inclusion" },
    AttackFamily { prefix: 931, key: "rfi", name: "remote file inclusion" },
    AttackFamily { prefix: 932, key: "rce", name: "remote code execution" },
    AttackFamily { prefix: 933, key: "php", name: "PHP injection" },
    AttackFamily { prefix: 934, key: "node", name: "Node.js injection" },
    AttackFamily { prefix: 941, key: "xss", name: "cross-site scripting" },
    AttackFamily { prefix: 942, key: "sqli", name: "SQL injection" },
    AttackFamily { prefix: 943, key: "session-fixation", name: "session fixation" },
    AttackFamily { prefix: 944, key: "java", name: "Java attack" },
];

/// A rule of the Core Rule Set: its number, its paranoia level (1 to 4) and its score.
pub type CrsRule = (u32, u8, u32);

/// All rules, by number.
#[rustfmt::skip]
pub const CRS_RULES: &[CrsRule] = &[
    (910000, 1, 5), (910100, 1, 5), (910150, 1, 5), (910160, 1, 5), (910170, 1, 5), (910180, 1, 5), (911100, 1, 5),
    (913100, 1, 5), (913101, 2, 5), (913102, 2, 5), (913110, 1, 5), (913120, 1, 5), (920100, 1, 3), (920120, 1, 5),
    (920121, 2, 5), (920160, 1, 5), (920170, 1, 5), (920171, 1, 5), (920180, 1, 3), (920190, 1, 3), (920200, 2, 3),
    (920201, 2, 3), (920202, 4, 3), (920210, 1, 3), (920220, 1, 3), (920230, 2, 3), (920240, 1, 3), (920250, 1, 3),
    (920260, 1, 3), (920270, 1, 5), (920271, 2, 5), (920272, 3, 5), (920273, 4, 5), (920274, 4, 5), (920275, 4, 5),
    (920280, 1, 3), (920290, 1, 3), (920300, 2, 2), (920310, 1, 2), (920311, 1, 2), (920320, 2, 2), (920330, 1, 2),
    (920340, 1, 2), (920341, 2, 5), (920350, 1, 3), (920360, 1, 5), (920370, 1, 5), (920380, 1, 5), (920390, 1, 5),
    (920400, 1, 5), (920410, 1, 5), (920420, 1, 5), (920430, 1, 5), (920440, 1, 5), (920450, 1, 5), (920460, 4, 5),
    (920470, 1, 5), (920480, 1, 5), (920490, 3, 5), (920500, 1, 5), (920510, 3, 5), (920530, 1, 5), (920600, 1, 5),
    (920620, 1, 5), (921110, 1, 5), (921120, 1, 5), (921130, 1, 5), (921140, 1, 5), (921150, 1, 5), (921151, 2, 5),
    (921160, 1, 5), (921180, 3, 5), (921190, 1, 5), (921230, 3, 5), (921421, 1, 5), (921422, 2, 5), (922100, 1, 5),
    (922110, 1, 5), (922120, 1, 5), (930100, 1, 5), (930110, 1, 5), (930120, 1, 5), (930130, 1, 5), (931100, 1, 5),
    (931110, 1, 5), (931120, 1, 5), (931130, 2, 5), (932100, 1, 5), (932105, 1, 5), (932106, 3, 5), (932110, 1, 5),
    (932115, 1, 5), (932120, 1, 5), (932130, 1, 5), (932140, 1, 5), (932150, 1, 5), (932160, 1, 5), (932170, 1, 5),
    (932171, 1, 5), (932180, 1, 5), (932190, 3, 5), (932200, 2, 5), (933100, 1, 5), (933110, 1, 5), (933111, 3, 5),
    (933120, 1, 5), (933130, 1, 5), (933131, 3, 5), (933140, 1, 5), (933150, 1, 5), (933151, 2, 5), (933160, 1, 5),
    (933161, 3, 5), (933170, 1, 5), (933180, 1, 5), (933190, 3, 5), (933200, 1, 5), (933210, 1, 5), (934100, 1, 5),
    (941100, 1, 5), (941101, 2, 5), (941110, 1, 5), (941120, 1, 5), (941130, 1, 5), (941140, 1, 5), (941150, 2, 5),
    (941160, 1, 5), (941170, 1, 5), (941180, 1, 5), (941190, 1, 5), (941200, 1, 5), (941210, 1, 5), (941220, 1, 5),
    (941230, 1, 5), (941240, 1, 5), (941250, 1, 5), (941260, 1, 5), (941270, 1, 5), (941280, 1, 5), (941290, 1, 5),
    (941300, 1, 5), (941310, 1, 5), (941320, 2, 5), (941330, 2, 5), (941340, 2, 5), (941350, 1, 5), (941360, 1, 5),
    (941370, 1, 5), (941380, 2, 5), (942100, 1, 5), (942101, 3, 5), (942110, 2, 3), (942120, 2, 5), (942130, 2, 5),
    (942140, 1, 5), (942150, 2, 5), (942160, 1, 5), (942170, 1, 5), (942180, 2, 5), (942190, 1, 5), (942200, 2, 5),
    (942210, 2, 5), (942220, 1, 5), (942230, 1, 5), (942240, 1, 5), (942250, 1, 5), (942251, 3, 5), (942260, 2, 5),
    (942270, 1, 5), (942280, 1, 5), (942290, 1, 5), (942300, 2, 5), (942310, 2, 5), (942320, 1, 5), (942330, 2, 5),
    (942340, 2, 5), (942350, 1, 5), (942360, 1, 5), (942361, 2, 5), (942370, 2, 5), (942380, 2, 5), (942390, 2, 5),
    (942400, 2, 5), (942410, 2, 5), (942420, 3, 3), (942421, 4, 3), (942430, 2, 3), (942431, 3, 3), (942432, 4, 3),
    (942440, 2, 5), (942450, 2, 5), (942460, 3, 3), (942470, 2, 5), (942480, 2, 5), (942490, 3, 5), (942500, 1, 5),
    (942510, 2, 5), (942511, 3, 5), (943100, 1, 5), (943110, 1, 5), (943120, 1, 5), (944100, 1, 5), (944110, 1, 5),
    (944120, 1, 5), (944130, 1, 5), (944200, 2, 5), (944210, 2, 5), (944240, 2, 5), (944250, 2, 5), (944300, 3, 5),
];

/// The highest score that any single rule adds: the score of a critical rule.
pub const HIGHEST_SCORE: u32 = 5;
