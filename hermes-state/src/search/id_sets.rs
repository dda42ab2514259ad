//! Sets of messages: their ids in ascending order, each once.

/// What is in both.
pub(super) fn both(a: &[i64], b: &[i64]) -> Vec<i64> {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter()
        .copied()
        .filter(|id| many.binary_search(id).is_ok())
        .collect()
}

/// What is in one or the other.
pub(super) fn either(mut a: Vec<i64>, b: Vec<i64>) -> Vec<i64> {
    if b.is_empty() {
        return a;
    }
    a.extend(b);
    // Two runs in order: as fast as a merge.
    a.sort();
    a.dedup();
    a
}

/// What is in the first and not in the second.
pub(super) fn without(mut a: Vec<i64>, b: &[i64]) -> Vec<i64> {
    if !b.is_empty() {
        a.retain(|id| b.binary_search(id).is_err());
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_combined_in_order() {
        let (a, b) = ([1, 3, 5], [2, 3, 4, 5, 6]);
        assert_eq!(both(&a, &b), [3, 5]);
        assert_eq!(both(&b, &a), [3, 5]);
        assert_eq!(either(a.to_vec(), b.to_vec()), [1, 2, 3, 4, 5, 6]);
        assert_eq!(either(a.to_vec(), Vec::new()), a);
        assert_eq!(without(a.to_vec(), &b), [1]);
        assert_eq!(without(b.to_vec(), &[]), b);
    }
}
