//! Pictures as Mermaid diagrams, which code hosts render.
//!
//! A label is in quotes, and every character in it that Markdown or Mermaid could read as a sign is
//! an entity code, so that no text can end the label or the block.

use crate::insight::dns::{Picture, PictureNode};
use crate::render::names_in_words::with_unicode;
use crate::render::safe::shortened;

/// Maximum number of characters of a label.
const LONGEST_LABEL: usize = 60;

/// Returns pictures, each folded.
pub(super) fn diagrams(pictures: &[Picture]) -> String {
    pictures.iter().map(diagram).collect()
}

/// Returns a picture, folded. Its name is only in the labels, because the summary is HTML, in which
/// renderers look for mentions.
fn diagram(picture: &Picture) -> String {
    let Picture { topic, name: _, before, after } = picture;
    let [before, after] = [("before", before, after), ("after", after, before)].map(side);
    format!(
        "\n<details><summary>Picture: {}, before and after</summary>\n\n\
         ```mermaid\nflowchart LR\n{before}{after}  classDef changed stroke-width:3px\n```\n\n</details>\n",
        topic.about()
    )
}

/// Returns one side of a picture. Nodes that the other side does not have are emphasized.
fn side((title, nodes, others): (&str, &Vec<PictureNode>, &Vec<PictureNode>)) -> String {
    let mut text = format!("  subgraph {title}\n");
    for (n, node) in nodes.iter().enumerate() {
        let is_changed = others.iter().all(|other| other.text != node.text);
        let class = if is_changed { ":::changed" } else { "" };
        text.push_str(&format!("    {title}{n}[\"{}\"]{class}\n", label(&node.text)));
    }
    for (n, from) in nodes.iter().enumerate().filter_map(|(n, node)| Some((n, node.from?))) {
        text.push_str(&format!("    {title}{from} --> {title}{n}\n"));
    }
    text.push_str("  end\n");
    text
}

/// Returns the label of a node.
fn label(text: &str) -> String {
    let shown = shortened(text, LONGEST_LABEL).into_owned();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '-' | ',');
    let mut label = String::with_capacity(shown.len());
    for c in with_unicode(&shown).chars() {
        match is_plain(c) {
            true => label.push(c),
            false => label.push_str(&format!("#{};", u32::from(c))),
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_no_signs() {
        assert_eq!(label("mx1.example.net (10)"), "mx1.example.net #40;10#41;");
        assert_eq!(
            label("a\"]; click b \"javascript:x\" %%{init"),
            "a#34;#93;#59; click b #34;javascript#58;x#34; #37;#37;#123;init"
        );
        assert_eq!(label("```\n<script>"), "#96;#96;#96;#92;u#123;a#125;#60;script#62;");
        assert!(label(&"x".repeat(5_000)).len() < 120);
    }
}
