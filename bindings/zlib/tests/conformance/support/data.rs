//! Input data that is the same on every run.

/// Pseudo-random numbers.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// Returns incompressible bytes.
pub fn noise(len: usize) -> Vec<u8> {
    let mut random = Random(0x1234_5678_9abc_def1);
    (0..len).map(|_| random.below(256) as u8).collect()
}

/// Returns lines of words.
pub fn text(len: usize) -> Vec<u8> {
    const WORDS: [&str; 12] = [
        "carefully",
        "final",
        "deposits",
        "sleep",
        "above",
        "the",
        "ironic",
        "requests",
        "quickly",
        "\n",
        "1994-07-02",
        "|",
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        text.extend_from_slice(WORDS[random.below(WORDS.len())].as_bytes());
        text.push(b' ');
    }
    text.truncate(len);
    text
}

/// Returns noise, text and runs in turn. The first block is not text, whatever length it has.
pub fn mixed(len: usize) -> Vec<u8> {
    let mut mixed = noise(len / 3);
    mixed.extend(text(len / 3));
    mixed.resize(len, 7);
    mixed
}

/// Returns data with short repetitions, which a search for long ones misses, by name.
pub fn repetitive(len: usize) -> [(&'static str, Vec<u8>); 12] {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    // Words of a few bytes, each from a small set.
    let mut words = |size: usize, of: usize| {
        let words: Vec<u8> = (0..size * of).map(|_| random.below(256) as u8).collect();
        let mut made = Vec::with_capacity(len + size);
        while made.len() < len {
            made.extend_from_slice(&words[size * random.below(of)..][..size]);
        }
        made.truncate(len);
        made
    };
    let (numbers, few_numbers, colours, pairs) = (words(4, 500), words(4, 20), words(3, 300), words(2, 40));
    let (fifty, long) = (words(4, 50), words(8, 10));
    let then_numbers = [&text(1 << 10)[..], &fifty].concat();
    // Eight constant bytes, then five numbers.
    let records = few_numbers.chunks(20).flat_map(|numbers| [&[7; 8], numbers].concat()).collect();
    let counters = (0..len as u64 / 8).flat_map(u64::to_le_bytes).collect();
    let mut sparse = vec![0; len];
    sparse.chunks_mut(1000).zip(noise(len).chunks(40)).for_each(|(to, from)| to[..40].copy_from_slice(from));
    [
        ("numbers of 4 bytes", numbers),
        ("few numbers of 4 bytes", few_numbers),
        ("fifty numbers of 4 bytes", fifty),
        ("ten words of 8 bytes", long),
        ("text, then fifty numbers", then_numbers),
        ("records of few numbers", records),
        ("colours", colours),
        ("pairs", pairs),
        ("counters", counters),
        ("noise between zeros", sparse),
        ("zeros", vec![0; len]),
        ("words", text(len)),
    ]
}

/// Returns data of each kind, small to large.
pub fn samples() -> Vec<Vec<u8>> {
    vec![
        vec![],
        vec![b'a'],
        text(100),
        noise(1000),
        text(5000),
        mixed(70_000),
        vec![0; 150_000],
        text(300_000),
    ]
}
