//! Pairs live values with desired values of the same name and type that are not equal to them.
//!
//! Two values are paired only within one [`Purpose`]. A value that is its own purpose, such as a
//! verification token, is never paired.
//!
//! | zone | pairs |
//! |---|---|
//! | without a base, foreign values are kept | the nearest first (an MX with the same exchange); other values only if there are no more live than desired values, because otherwise it is unknown which live values are foreign |
//! | with a base, foreign values are kept | a value that someone changed with its previous value; then the values of the spec; a foreign value only if both values cannot exist together |
//! | pruned | all |
//!
//! A text is nearest to a live text that differs only in how it is cut into strings. If these two
//! cannot be paired, the desired text is paired with no other text. The same is true for several
//! desired texts that differ only in their cuts. Cloudflare may call such texts identical and
//! refuse to update another record to the second one, while a refused create shows that the text is
//! live.
//!
//! A desired value without a partner is created beside the live values.

use std::collections::{BTreeMap, VecDeque};

use super::ownership::{Claims, ValueOwner};
use crate::{DesiredRecord, LiveRecord, Purpose, Rdata, Unmanaged};

/// The pairs, and the values of both sides that have no partner.
pub(super) struct Pairs<'a> {
    /// Live values with the desired values that replace them.
    pub(super) pairs: Vec<(&'a LiveRecord, &'a DesiredRecord)>,
    /// Desired values without a partner, in their order.
    pub(super) desired: Vec<&'a DesiredRecord>,
    /// Live values without a partner, in any order.
    pub(super) live: Vec<&'a LiveRecord>,
}

/// Live values are updated only to desired values with an equal key.
type Key = (Purpose, String);

/// Pairs values. Both sides are sorted by value. `others` are all live values of the name and type.
pub(super) fn pair<'a>(
    desired: Vec<&'a DesiredRecord>,
    live: Vec<&'a LiveRecord>,
    others: &[&Rdata],
    claims: &Claims<'a>,
    unmanaged: Unmanaged,
) -> Pairs<'a> {
    let by_purpose = |data: &Rdata| Some((data.purpose(), String::new()));
    let mut values = Pairs { pairs: Vec::new(), desired, live };
    let unpaired_texts = values.pair_cuts(others, claims, unmanaged);
    // The values of the spec are known from the base; a drifted value is first restored to its
    // value in the base.
    let (own, others) =
        std::mem::take(&mut values.live).into_iter().partition(|r| claims.of(r).base.is_some());
    values.live = own;
    values.restore(claims);
    values.pair_by(&near_key);
    values.pair_by(&by_purpose);
    let own_pairs_done = std::mem::replace(&mut values.live, others);
    match (unmanaged, claims.owner_of_rest()) {
        (Unmanaged::Prune, _) => {
            values.pair_by(&near_key);
            values.pair_by(&by_purpose);
        }
        (Unmanaged::Keep, ValueOwner::Foreign) => values.pair_by(&Rdata::slot),
        (Unmanaged::Keep, ValueOwner::Spec | ValueOwner::Drift | ValueOwner::Unknown) => {
            values.pair_by(&near_key);
            let counts = values.counts();
            let is_certain = |(purpose, _): &Key| {
                counts.get(purpose).is_some_and(|(live, wanted)| live <= wanted)
            };
            values.pair_by(&|data| by_purpose(data).filter(is_certain));
        }
    }
    values.live.extend(own_pairs_done);
    values.desired.extend(unpaired_texts);
    values
}

/// Returns the key of near values: the same host with another priority, or a text that exists once.
fn near_key(data: &Rdata) -> Option<Key> {
    Some((data.purpose(), data.pairing_key())).filter(|(_, key)| !key.is_empty())
}

impl<'a> Pairs<'a> {
    /// Pairs desired texts with live texts that differ only in their cuts, except foreign ones.
    /// Removes and returns the desired texts without a partner for which such a text is live or is
    /// also desired.
    fn pair_cuts(
        &mut self,
        others: &[&Rdata],
        claims: &Claims<'a>,
        unmanaged: Unmanaged,
    ) -> Vec<&'a DesiredRecord> {
        let Self { pairs, desired, live } = self;
        let is_paired = |record: &LiveRecord| {
            claims.of(record).base.is_some()
                || unmanaged == Unmanaged::Prune
                || claims.owner_of_rest() != ValueOwner::Foreign
        };
        let mut texts: BTreeMap<&[u8], Vec<&Rdata>> = BTreeMap::new();
        for data in others.iter().copied().chain(desired.iter().map(|&record| &record.data)) {
            if let Rdata::Txt(text) = data {
                texts.entry(text.as_bytes()).or_default().push(data);
            }
        }
        let has_other_cuts = |data: &Rdata| {
            let Rdata::Txt(text) = data else { return false };
            texts
                .get(text.as_bytes())
                .is_some_and(|all| all.iter().any(|other| other.differs_in_cuts(data)))
        };
        let mut unpaired = Vec::new();
        desired.retain(|record| {
            if !has_other_cuts(&record.data) {
                return true;
            }
            match live.iter().position(|r| r.data.differs_in_cuts(&record.data) && is_paired(r)) {
                Some(at) => pairs.push((live.remove(at), *record)),
                None => unpaired.push(*record),
            }
            false
        });
        unpaired
    }

    /// Pairs drifted values with the values that the base wanted in their place, if the spec still
    /// wants them.
    fn restore(&mut self, claims: &Claims<'a>) {
        let Self { pairs, desired, live } = self;
        live.retain(|record| {
            let claim = claims.of(record);
            let base = claim.base.filter(|_| claim.owner == ValueOwner::Drift);
            let Some(at) = base.and_then(|base| desired.iter().position(|d| d.data == base.data))
            else {
                return true;
            };
            pairs.push((record, desired.remove(at)));
            false
        });
    }

    /// Counts the live and the desired values of each purpose.
    fn counts(&self) -> BTreeMap<Purpose, (usize, usize)> {
        let mut counts: BTreeMap<Purpose, (usize, usize)> = BTreeMap::new();
        for record in &self.live {
            counts.entry(record.data.purpose()).or_default().0 += 1;
        }
        for record in &self.desired {
            counts.entry(record.data.purpose()).or_default().1 += 1;
        }
        counts
    }

    fn pair_by(&mut self, key: &dyn Fn(&Rdata) -> Option<Key>) {
        if self.live.is_empty() || self.desired.is_empty() {
            return;
        }
        let key = |data: &Rdata| key(data).filter(|(purpose, _)| *purpose != Purpose::Unique);
        let mut partners: BTreeMap<Key, VecDeque<&'a LiveRecord>> = BTreeMap::new();
        let mut unpaired = Vec::new();
        for record in std::mem::take(&mut self.live) {
            match key(&record.data) {
                Some(key) => partners.entry(key).or_default().push_back(record),
                None => unpaired.push(record),
            }
        }
        self.desired.retain(|record| {
            let Some(key) = key(&record.data) else { return true };
            let Some(live) = partners.get_mut(&key).and_then(VecDeque::pop_front) else {
                return true;
            };
            self.pairs.push((live, *record));
            false
        });
        unpaired.extend(partners.into_values().flatten());
        unpaired.sort_by(|a, b| (&a.data, &a.id).cmp(&(&b.data, &b.id)));
        self.live = unpaired;
    }
}
