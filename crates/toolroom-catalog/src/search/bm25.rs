//! How much a word found in an entry's fields says: BM25F, kept below 1.

/// The parts of an entry that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    Category,
    Description,
    Content,
}

pub(super) const FIELDS: usize = 4;

/// A value for each field.
pub(super) type PerField<T> = [T; FIELDS];

/// How soon one more occurrence stops to matter.
const SATURATION: f64 = 1.2;

/// What a word in the content may weigh at most, however often it is there: less than one in
/// the description.
const MAX_CONTENT: f64 = 0.6;

impl Field {
    pub(super) const ALL: PerField<Self> =
        [Self::Name, Self::Category, Self::Description, Self::Content];

    fn weight(self) -> f64 {
        match self {
            Self::Name => 6.0,
            Self::Category => 1.8,
            Self::Description => 2.0,
            Self::Content => 0.4,
        }
    }

    /// How much a field longer than usual takes away from each of its words.
    fn length_penalty(self) -> f64 {
        match self {
            Self::Name => 0.4,
            Self::Category => 0.2,
            Self::Description => 0.5,
            Self::Content => 0.6,
        }
    }

    fn part(self, count: u32, length: u32, average: f64) -> f64 {
        if count == 0 {
            return 0.0;
        }
        let penalty = self.length_penalty();
        let relative = f64::from(length) / average.max(1.0);
        let share = self.weight() / (1.0 - penalty + penalty * relative);
        match self {
            // Code repeats itself; the tenth occurrence is no second finding.
            Self::Content => (share * (1.0 + f64::from(count).ln())).min(MAX_CONTENT),
            _ => share * f64::from(count),
        }
    }
}

/// How well a word with these counts is found, from 0 to below 1.
pub(super) fn found(
    counts: &PerField<u32>,
    lengths: &PerField<u32>,
    averages: &PerField<f64>,
) -> f64 {
    let fields = Field::ALL.into_iter().zip(counts);
    let measured = fields.zip(lengths.iter().zip(averages));
    let weight: f64 = measured
        .map(|((field, count), (length, average))| field.part(*count, *length, *average))
        .sum();
    weight / (weight + SATURATION)
}

/// How much a word tells entries apart: the rarer, the more. Above 0.
pub(super) fn rarity(entries: usize, with_word: usize) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a catalog is far below 2^52 entries"
    )]
    let (entries, with_word) = (entries as f64, with_word.min(entries) as f64);
    (1.0 + (entries - with_word + 0.5) / (with_word + 0.5)).ln()
}
