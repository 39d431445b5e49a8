//! Dense numbers of groups, from the codes of several keys.

use crate::NONE;

/// Table of group numbers, in the order of the groups' first occurrence.
///
/// The codes of a row's keys are the bits of an index into the table. It grows when a key gets a
/// code of more bits.
#[derive(Debug)]
pub struct GroupNumbers {
    /// Bits of each key's codes.
    bits: Vec<u32>,
    table: Vec<u32>,
    /// The codes of each group's keys, group by group.
    codes: Vec<u32>,
    groups: usize,
    indexes: Vec<u32>,
}

impl GroupNumbers {
    /// Returns a table for groups of `keys` keys.
    pub fn new(keys: usize) -> Self {
        let table = vec![NONE; 1];
        Self { bits: vec![0; keys], table, codes: Vec::new(), groups: 0, indexes: Vec::new() }
    }

    /// Puts the group number of each row into `numbers`. `codes` has the codes of each key, and
    /// `domains` their counts. Returns false, with no number, if the index would have more than
    /// `max_bits` bits.
    pub fn number(
        &mut self,
        codes: &[&[u32]],
        domains: &[usize],
        max_bits: u32,
        numbers: &mut Vec<u32>,
    ) -> bool {
        numbers.clear();
        if let ([codes], [domain]) = (codes, domains) {
            // each code is that of a group
            if *domain > 1 << max_bits {
                return false;
            }
            self.groups = *domain;
            numbers.extend_from_slice(codes);
            return true;
        }
        let Some((first, others)) = codes.split_first() else { return false };
        if !self.widen(domains, max_bits) {
            return false;
        }
        self.indexes.clear();
        self.indexes.extend_from_slice(first);
        let mut shift = self.bits[0];
        for (key, bits) in others.iter().zip(&self.bits[1..]) {
            for (index, code) in self.indexes.iter_mut().zip(*key) {
                *index |= code << shift;
            }
            shift += bits;
        }
        numbers.reserve(self.indexes.len());
        for (row, &index) in self.indexes.iter().enumerate() {
            let entry = &mut self.table[index as usize];
            if *entry == NONE {
                *entry = self.groups as u32;
                self.groups += 1;
                self.codes.extend(codes.iter().map(|key| key[row]));
            }
            numbers.push(*entry);
        }
        true
    }

    /// Makes room for codes below the `domains`.
    fn widen(&mut self, domains: &[usize], max_bits: u32) -> bool {
        let needed = |domain: usize| usize::BITS - domain.saturating_sub(1).leading_zeros();
        if self.bits.iter().zip(domains).all(|(bits, domain)| needed(*domain) <= *bits) {
            return true;
        }
        let bits: Vec<u32> =
            self.bits.iter().zip(domains).map(|(bits, domain)| needed(*domain).max(*bits)).collect();
        let total: u32 = bits.iter().sum();
        if total > max_bits {
            return false;
        }
        self.bits = bits;
        self.table.clear();
        self.table.resize(1 << total, NONE);
        for (group, codes) in self.codes.chunks_exact(self.bits.len().max(1)).enumerate() {
            let mut shift = 0;
            let mut index = 0;
            for (code, bits) in codes.iter().zip(&self.bits) {
                index |= (*code as usize) << shift;
                shift += bits;
            }
            self.table[index] = group as u32;
        }
        true
    }

    /// Returns the count of groups.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Returns the code of a key in each group.
    pub fn codes(&self, key: usize) -> Vec<u32> {
        match self.bits.len() {
            1 => (0..self.groups as u32).collect(),
            keys => self.codes.iter().skip(key).step_by(keys.max(1)).copied().collect(),
        }
    }

    /// Returns the bytes of the table.
    pub fn size(&self) -> usize {
        (self.table.capacity() + self.codes.capacity() + self.indexes.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests;
