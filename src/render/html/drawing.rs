//! Pictures as drawings in the page: two trees, one below the other.

use crate::insight::dns::{Picture, PictureNode};
use crate::render::escape::html;
use crate::render::names_in_words::{in_both_forms, with_unicode};

/// Width of a column.
const COLUMN: usize = 270;

/// Height of a row.
const ROW: usize = 36;

/// Size of a box.
const BOX: (usize, usize) = (240, 26);

/// Maximum number of characters that fit into a box.
const LONGEST_LABEL: usize = 30;

/// Adds pictures, each folded.
pub(super) fn drawings(page: &mut String, pictures: &[Picture]) {
    for Picture { topic, name, before, after } in pictures {
        let name = html(&in_both_forms(name.as_str()));
        let (before_rows, after_rows) = (Placed::of(before), Placed::of(after));
        let columns = before_rows.columns.max(after_rows.columns);
        let height = ROW * (before_rows.rows + after_rows.rows + 2);
        page.push_str(&format!(
            "<details class=\"folded\"><summary>Picture: {0}, before and after <code>{name}</code></summary>\n\
             <svg class=\"drawing\" role=\"img\" aria-label=\"{0} before and after, {name}\" viewBox=\"0 0 {1} {height}\" width=\"{1}\">\n",
            topic.about(),
            columns * COLUMN
        ));
        side(page, ("before", &before[..], &after[..]), &before_rows, 0);
        side(page, ("after", &after[..], &before[..]), &after_rows, ROW * (before_rows.rows + 1));
        page.push_str("</svg></details>\n");
    }
}

/// The column and the row of each node of a tree.
struct Placed {
    places: Vec<(usize, usize)>,
    columns: usize,
    rows: usize,
}

impl Placed {
    /// Places nodes: each right of the node that leads to it, the first one in the same row.
    fn of(nodes: &[PictureNode]) -> Self {
        let mut placed = Self { places: vec![(0, 0); nodes.len()], columns: 1, rows: 0 };
        placed.place(nodes, None, 0);
        placed
    }

    /// Places the nodes that a node leads to in a column, and the nodes behind them.
    fn place(&mut self, nodes: &[PictureNode], from: Option<usize>, column: usize) {
        for n in (0..nodes.len()).filter(|n| nodes[*n].from == from) {
            self.places[n] = (column, self.rows);
            self.columns = self.columns.max(column + 1);
            let rows = self.rows;
            self.place(nodes, Some(n), column + 1);
            self.rows = self.rows.max(rows + 1);
        }
    }
}

/// Adds one tree below its title, from a height on.
fn side(
    page: &mut String,
    (title, nodes, others): (&str, &[PictureNode], &[PictureNode]),
    placed: &Placed,
    top: usize,
) {
    let corner = |n: usize| {
        let (column, row) = placed.places[n];
        (column * COLUMN + 2, top + (row + 1) * ROW)
    };
    page.push_str(&format!("<text x=\"2\" y=\"{}\">{title}</text>\n", top + ROW * 2 / 3));
    for (n, from) in nodes.iter().enumerate().filter_map(|(n, node)| Some((n, node.from?))) {
        let ((x1, y1), (x2, y2)) = (corner(from), corner(n));
        page.push_str(&format!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{x2}\" y2=\"{}\"/>\n",
            x1 + BOX.0,
            y1 + BOX.1 / 2,
            y2 + BOX.1 / 2
        ));
    }
    for (n, node) in nodes.iter().enumerate() {
        let (x, y) = corner(n);
        let is_changed = others.iter().all(|other| other.text != node.text);
        let class = if is_changed { title } else { "same" };
        let text = with_unicode(&node.text);
        let mut label: String = text.chars().take(LONGEST_LABEL).collect();
        if label.len() < text.len() {
            label.pop();
            label.push('…');
        }
        page.push_str(&format!(
            "<g class=\"{class}\"><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"4\"/>\
             <text x=\"{}\" y=\"{}\">{}</text></g>\n",
            html(&text),
            BOX.0,
            BOX.1,
            x + 8,
            y + BOX.1 * 2 / 3,
            html(&label)
        ));
    }
}
