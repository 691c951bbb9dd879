//! Many texts in a few large pieces of memory.

/// Number of bytes after which a new block begins.
const BLOCK: usize = 256 * 1024;

/// Texts in order. They are found by iteration, which suits pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PackedTexts {
    blocks: Vec<Block>,
    count: usize,
}

/// A block of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Block {
    /// Concatenated texts.
    text: String,
    /// End of each text.
    ends: Vec<u32>,
}

impl Block {
    fn iter(&self) -> impl Iterator<Item = &str> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, end)| &self.text[begin as usize..*end as usize])
    }
}

impl PackedTexts {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn push(&mut self, text: &str) {
        let is_full =
            |block: &Block| !block.text.is_empty() && block.text.len() + text.len() > BLOCK;
        if self.blocks.last().is_none_or(is_full) {
            if let Some(full) = self.blocks.last_mut() {
                full.text.shrink_to_fit();
                full.ends.shrink_to_fit();
            }
            self.blocks.push(Block::default());
        }
        let Some(block) = self.blocks.last_mut() else { return };
        block.text.push_str(text);
        // Only a single long text makes a block longer, and no line of a snapshot is that long.
        block.ends.push(u32::try_from(block.text.len()).unwrap_or(u32::MAX));
        self.count += 1;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(Block::iter)
    }

    /// Iterates over `count` texts from index `first`.
    pub(super) fn some(&self, first: usize, count: usize) -> impl Iterator<Item = &str> {
        let mut skipped = 0;
        let mut blocks = self.blocks.iter().peekable();
        while let Some(block) = blocks.next_if(|block| skipped + block.ends.len() <= first) {
            skipped += block.ends.len();
        }
        blocks.flat_map(Block::iter).skip(first - skipped).take(count)
    }
}

impl<'t> FromIterator<&'t str> for PackedTexts {
    fn from_iter<I: IntoIterator<Item = &'t str>>(texts: I) -> Self {
        let mut lines = Self::default();
        texts.into_iter().for_each(|text| lines.push(text));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_in_order() {
        let texts: Vec<String> =
            (0..2_000).map(|n| format!("{n}{}", "x".repeat(n % 700))).collect();
        let lines: PackedTexts = texts.iter().map(String::as_str).collect();
        assert!(lines.blocks.len() > 2 && lines.len() == texts.len());
        assert!(lines.iter().eq(texts.iter()));
        for (first, count) in [(0, 3), (700, 900), (1_999, 5), (2_000, 5), (9_000, 1), (3, 0)] {
            let wanted = texts.iter().skip(first).take(count);
            assert!(lines.some(first, count).eq(wanted), "{first}, {count}");
        }
        let huge = "y".repeat(BLOCK * 3);
        assert!(PackedTexts::from_iter(["a", &huge, "", "b"]).iter().eq(["a", &huge, "", "b"]));
    }
}
