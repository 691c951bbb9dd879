//! The style sheet of the page. It contains no character that is markup in XML.

use std::fmt::Write as _;

/// Colours by meaning, for light and dark mode; layout for wide screens, narrow screens and paper;
/// the parts that the controls hide. `:has` inspects only the controls: a browser evaluates `:has`
/// over the whole page again at each change of the page, and loading each entry changes the page.
/// Parts are laid out one at a time only while everything is shown, because the placeholder size of
/// a part assumes all its entries.
pub(super) const STYLE: &str = "\
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--dim:#59636e;--line:#d5dae0;--card:#f6f8fa;
--good:#116329;--good-bg:#dafbe1;--bad:#a40e26;--bad-bg:#ffebe9;--note:#7a4b00;--note-bg:#fff4d6;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--ink:#e6edf3;--dim:#9aa4af;--line:#30363d;--card:#161b22;
--good:#6fdd8b;--good-bg:#12331f;--bad:#ff9a92;--bad-bg:#43171a;--note:#eac54f;--note-bg:#3a2d0a;--link:#79b8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main,footer{max-width:70rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.15rem;margin:0;display:inline}h3{font-size:1rem;margin:0 0 .4rem;font-weight:600}
h1,h2,h3,li,p,td,th,summary,.badge{overflow-wrap:anywhere}
p{margin:.3rem 0}ul,ol{margin:.4rem 0;padding-left:1.4rem}a{color:var(--link)}
code,td,.place,.sides th[scope=row]{font-family:ui-monospace,monospace;font-size:.9em}
.dim,.place,.kind,.type,footer{color:var(--dim);font-weight:400}.place{white-space:normal}
header{border-left:.4rem solid var(--good);padding-left:.8rem}
header.needs-consent,header.incomplete{border-color:var(--bad)}header.ready{border-color:var(--note)}
.counts{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;list-style:none;padding:0}
.counts b{font-size:1.2rem}
section,.findings,.zone{border:1px solid var(--line);border-radius:.5rem;margin:1rem 0;padding:.7rem .9rem}
.loud{border-color:var(--bad);border-left-width:.4rem}
summary{cursor:pointer}
.badge{display:inline-block;border:1px solid currentColor;border-radius:.3rem;padding:0 .35rem;font-size:.8rem;font-weight:600;line-height:1.4}
.badge.create,.badge.strengthens{color:var(--good);background:var(--good-bg)}
.badge.delete,.badge.danger,.badge.error{color:var(--bad);background:var(--bad-bg)}
.badge.update,.badge.warning,.badge.unclassified{color:var(--note);background:var(--note-bg)}
.badge.neutral,.badge.note{color:var(--dim)}
.op{background:var(--card);border:1px solid var(--line);border-left:.3rem solid var(--line);border-radius:.4rem;margin:.7rem 0;padding:.6rem .8rem}
.op.create{border-left-color:var(--good)}.op.update{border-left-color:var(--note)}.op.delete,.op.danger{border-left-color:var(--bad)}
.op,.zone,.members article{scroll-margin-top:4rem}.drawing{max-width:100%;height:auto;font:12px ui-monospace,monospace}.drawing text{fill:var(--ink)}
.drawing rect{fill:var(--card);stroke:var(--line)}.drawing line{stroke:var(--dim)}
.drawing .before rect{fill:var(--bad-bg)}.drawing .after rect{fill:var(--good-bg)}
.flag{display:inline-block;max-width:100%;overflow-x:auto;white-space:nowrap;vertical-align:bottom}
.op:target,.members article:target{outline:3px solid var(--link)}
.op,.members div,ol.part{content-visibility:auto;contain-intrinsic-size:auto 9rem}
.members div{contain-intrinsic-size:auto 90rem}ol.part{contain-intrinsic-size:auto 250rem}
.members{margin:.4rem 0}.members article{padding:.1rem 0 .1rem 1rem;overflow-wrap:anywhere}.folded{margin:.7rem 0}
.sides{width:100%;border-collapse:collapse;table-layout:fixed;margin:.4rem 0}
.sides th,.sides td{text-align:left;vertical-align:top;padding:.2rem .5rem;border-top:1px solid var(--line)}
.sides thead th{border:0;color:var(--dim);font-weight:400;font-size:.8rem}
.sides th:first-child{width:11rem}.sides th[scope=row]{font-weight:400;color:var(--dim)}
.sides .none,.lengths{color:var(--dim)}.lengths{display:block;font-size:.85em}
del,ins{text-decoration:none;font-weight:600;border-bottom:2px solid currentColor}
del{color:var(--bad);background:var(--bad-bg)}ins{color:var(--good);background:var(--good-bg)}
.weaker ins{color:var(--bad);background:var(--bad-bg)}
.filters{display:none;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;position:sticky;top:0;z-index:1;background:var(--page);border-bottom:1px solid var(--line);padding:.5rem 0}
.filters fieldset{border:0;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem .9rem}
.filters label{min-height:2rem;display:inline-flex;align-items:center;gap:.35rem}
.filters select{font:inherit;max-width:100%;min-height:2rem}
footer{font-size:.85rem}
@supports selector(:has(*)){.filters{display:flex}
.filters:has(#show-all:checked)~.zone .part{content-visibility:auto;contain-intrinsic-size:auto 450rem}
.filters:has(#show-danger:checked)~.zone:not(.danger),.filters:has(#show-danger:checked)~.zone :is(.op,.part,.folded):not(.danger),
.filters:has(#show-create:checked)~.zone:not(.create),.filters:has(#show-create:checked)~.zone :is(.op,.part,.folded):not(.create),
.filters:has(#show-update:checked)~.zone:not(.update),.filters:has(#show-update:checked)~.zone :is(.op,.part,.folded):not(.update),
.filters:has(#show-delete:checked)~.zone:not(.delete),.filters:has(#show-delete:checked)~.zone :is(.op,.part,.folded):not(.delete){display:none}}
@media (max-width:40rem){main,footer{padding:.7rem}.sides,.sides tbody{display:block}.sides thead{display:none}
.sides tr{display:grid;grid-template-columns:1fr 1fr;border-top:1px solid var(--line);padding:.2rem 0}
.sides th[scope=row]{grid-column:1/-1}.sides th,.sides td{border:0;padding:.1rem .4rem .1rem 0}.sides th:first-child{width:auto}
.filters{position:static}}
@media print{html{font-size:11px}.filters{display:none}main,footer{max-width:none;padding:0}.op,.sides tr{break-inside:avoid}
details::details-content{content-visibility:visible}a{color:inherit;text-decoration:none}.op,.badge,ins,del{print-color-adjust:exact}}
";

/// Returns rules that hide every other zone when one of `count` zones is selected.
pub(super) fn zone_choices(count: usize) -> String {
    let mut style = String::new();
    for number in 0..count {
        // Writing to a string cannot fail.
        let _ = writeln!(
            style,
            ".filters:has(option[value=\"{number}\"]:checked)~.zone:not(#z{number}){{display:none}}"
        );
    }
    style
}
