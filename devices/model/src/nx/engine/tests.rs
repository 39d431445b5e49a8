use super::*;

#[test]
fn high_priority_is_first() {
    let mut queues = Queues::new();
    for (kind, entry) in
        [(Credits::Shared, 1), (Credits::Guaranteed, 2), (Credits::Shared, 3), (Credits::Guaranteed, 4)]
    {
        queues.of(kind).push_back(entry);
    }
    assert_eq!(queues.remove(|entry| *entry == 3), 1);
    let order: Vec<i32> = std::iter::from_fn(|| queues.next()).collect();
    assert_eq!(order, [2, 4, 1]);
}
