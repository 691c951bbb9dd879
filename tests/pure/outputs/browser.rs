//! The HTML page of a plan in a real browser: headless Chromium, if it is installed.
//!
//! The page has no scripts. A harness around it does: it opens the page in frames of two widths, in
//! light and dark mode, and reports what it measures. `PAGE_OPERATIONS=10000 cargo test --test pure
//! browser -- --nocapture` also measures the time of a large page.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;
use zonewright::render::html;

use super::plans::{Made, case, large};

/// The least contrast of text, WCAG 2.2 section 1.4.3.
const CONTRAST: f64 = 4.5;

/// The smallest letters that are read without effort, in pixels.
const LETTERS: f64 = 12.0;

/// Opens each page in each frame, uses its controls, and writes a report.
const HARNESS: &str = r##"<!DOCTYPE html><html><body><pre id="seen">nothing</pre><script>
const seen = [];
const number = (c) => (c.match(/[\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
function contrast(view, element) {
  let ground = element;
  const of = (e) => number(view.getComputedStyle(e).backgroundColor);
  while (ground.parentElement && of(ground).length === 4 && of(ground)[3] === 0) ground = ground.parentElement;
  const back = of(ground).length === 4 && of(ground)[3] === 0 ? [255, 255, 255] : of(ground);
  const [a, b] = [light(number(view.getComputedStyle(element).color)), light(back)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}
async function look(page, scheme, width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0;color-scheme:${scheme}`;
  frame.src = page;
  await new Promise((loaded) => { frame.onload = loaded; document.body.append(frame); });
  const d = frame.contentDocument, view = frame.contentWindow;
  // What is far below is laid out as well, so that all of it is measured.
  d.head.insertAdjacentHTML("beforeend", "<style>.op,.part,.members div{content-visibility:visible!important}</style>");
  const all = (selector) => [...d.querySelectorAll(selector)];
  const isShown = (e) => e.getClientRects().length > 0;
  all("details").forEach((e) => { e.open = true; });
  const edge = d.documentElement.clientWidth, scroll = d.documentElement.scrollWidth - edge;
  const beyond = all("main *").filter((e) => e.getBoundingClientRect().right > edge + 1).map((e) => e.outerHTML.slice(0, 120));
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  const small = Math.min(...all("main *").filter(own).map((e) => parseFloat(view.getComputedStyle(e).fontSize)));
  const faint = all("main *").filter(own).map((e) => [contrast(view, e), e.outerHTML.slice(0, 120)]).sort((x, y) => x[0] - y[0])[0];
  const counts = { all: all(".op").filter(isShown).length };
  for (const id of ["danger", "create", "update", "delete", "all"]) {
    const control = d.querySelector(`#show-${id}`);
    if (!control) { counts.wrong = `no control ${id}`; continue; }
    control.click();
    const shown = all(".op").filter(isShown);
    counts[id] = shown.length;
    const holders = all(".zone, .zone .part, .zone .folded").filter(isShown);
    const fits = id === "all" || [...shown, ...holders].every((e) => e.classList.contains(id));
    if (!fits || (id !== "all" && shown.length !== all(`.op.${id}`).length)) counts.wrong = id;
  }
  const choice = d.querySelector("#zone");
  let zones = null;
  if (choice) {
    choice.selectedIndex = 2;
    zones = all(".zone").filter(isShown).map((e) => e.id);
  }
  const folds = all("details").map((e) => {
    const before = e.open;
    e.querySelector("summary").click();
    return e.open !== before;
  });
  seen.push({ page, scheme, width, beyond, scroll, faint, counts, zones,
    ground: view.getComputedStyle(d.body).backgroundColor, folds: folds.every(Boolean) ? folds.length : 0, small, scripts: d.scripts.length });
  frame.remove();
}
(async () => {
  for (const page of PAGES) for (const scheme of ["light", "dark"]) for (const width of [390, 1280]) await look(page, scheme, width);
  document.getElementById("seen").textContent = JSON.stringify(seen);
})().catch((error) => { document.getElementById("seen").textContent = JSON.stringify(String(error)); });
</script></body></html>"##;

/// Returns the browser, if there is one.
fn browser() -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    std::env::split_paths(&directories)
        .flat_map(|d| names.map(|name| d.join(name)))
        .find(|path| path.is_file())
}

/// Returns the document of a page after it was loaded.
fn opened(browser: &Path, directory: &Path, page: &str, more: &[&str]) -> String {
    let run = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--allow-file-access-from-files",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", directory.join("profile").display()))
        .args(more)
        .arg(format!("file://{}", directory.join(page).display()))
        .output()
        .unwrap();
    String::from_utf8_lossy(&run.stdout).into_owned()
}

/// Returns text of HTML as it was meant.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[test]
fn a_page_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!(
            "SKIPPED: no Chromium in the path (Debian package: chromium); the page was not looked at"
        );
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let page = |made: &Made| html::plan(&made.review());
    write("large.html", &page(&large(2, 100)));
    write("forms.html", &page(&case(Path::new("tests/cases/render/terminal.yaml"))));
    write("harness.html", &HARNESS.replace("PAGES", r#"["large.html", "forms.html"]"#));
    let dom = opened(&browser, directory.path(), "harness.html", &["--virtual-time-budget=60000"]);
    let seen = dom.split_once("<pre id=\"seen\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let seen: Value =
        serde_json::from_str(&unescaped(seen.unwrap_or_else(|| panic!("{dom}")).0)).unwrap();
    let seen = seen.as_array().unwrap_or_else(|| panic!("{seen}"));
    assert_eq!(seen.len(), 8);
    for one in seen {
        assert!(
            one["beyond"].as_array().unwrap().is_empty() && one["scroll"].as_i64().unwrap() <= 0,
            "overflow: {one}"
        );
        assert!(one["faint"][0].as_f64().unwrap() >= CONTRAST, "contrast: {one}");
        let ground = one["ground"].as_str().unwrap();
        assert_eq!(ground == "rgb(255, 255, 255)", one["scheme"] == "light", "{one}");
        assert!(one["small"].as_f64().unwrap() >= LETTERS, "letters: {one}");
        assert!(one["folds"].as_u64().unwrap() > 0 && one["scripts"] == 0, "{one}");
        if one["page"] == "large.html" {
            let counts = serde_json::json!({ "all": 200, "danger": 2, "create": 198, "update": 0, "delete": 2 });
            assert_eq!(
                (&one["counts"], &one["zones"]),
                (&counts, &serde_json::json!(["z1"])),
                "{one}"
            );
        } else {
            assert!(one["counts"]["wrong"].is_null(), "{one}");
            let count = |id: &str| one["counts"][id].as_u64().unwrap();
            assert!(
                ["danger", "create", "update", "delete"]
                    .iter()
                    .all(|id| (1..count("all")).contains(&count(id))),
                "{one}"
            );
        }
    }
    measure(&browser, directory.path());
}

/// Takes the time of opening a page of as many operations as wanted, and reports it.
#[expect(clippy::print_stderr, reason = "a figure for the reader of the test")]
fn measure(browser: &Path, directory: &Path) {
    let Some(operations) =
        std::env::var("PAGE_OPERATIONS").ok().and_then(|number| number.parse().ok())
    else {
        return;
    };
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    let page = html::plan(&large(1, operations).review());
    write("huge.html", &page);
    write("empty.html", "<!DOCTYPE html><title>empty</title>");
    let timed = |page: &str| {
        let start = Instant::now();
        opened(browser, directory, page, &[]);
        start.elapsed()
    };
    let best = |page: &str| (0..3).map(|_| timed(page)).min().unwrap();
    write(
        "timer.html",
        "<!DOCTYPE html><iframe src=\"huge.html\" style=\"width:1280px;height:900px\"></iframe><pre id=\"ms\"></pre>\
         <script>onload = () => { const d = document.querySelector('iframe').contentDocument; d.documentElement.scrollHeight;\
         document.getElementById('ms').textContent = Math.round(performance.now()); }</script>",
    );
    let timer = opened(browser, directory, "timer.html", &[]);
    let own = timer
        .split_once("<pre id=\"ms\">")
        .and_then(|(_, rest)| rest.split_once("</pre>"))
        .map(|(ms, _)| ms.to_owned());
    eprintln!(
        "a page of {operations} operations, {} bytes: opened and laid out in {} ms; the whole browser takes {:?}, {:?} for an empty page",
        page.len(),
        own.unwrap_or_default(),
        best("huge.html"),
        best("empty.html")
    );
}
