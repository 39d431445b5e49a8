use super::*;

const PAGE: usize = 64 << 10;

fn choose(queue: &[Option<usize>], running: usize, threads: usize) -> Vec<usize> {
    Occupation { queued: queue.len(), running, threads }.choose(queue.iter().copied())
}

/// Returns the number of tasks of each turn, while threads take turns and no task ends. A task that
/// runs alone counts as one.
fn turns(tasks: usize, threads: usize) -> Vec<usize> {
    let (mut queue, mut running, mut turns) = (vec![Some(PAGE); tasks], 0, Vec::new());
    while !queue.is_empty() {
        let taken = choose(&queue, running, threads).len().max(1);
        queue.drain(..taken);
        running += taken;
        turns.push(taken);
    }
    turns
}

#[test]
fn threads_take_equal_parts() {
    assert_eq!(turns(20, 4), [5, 5, 5, 5]);
    assert_eq!(turns(10, 2), [5, 5]);
    assert_eq!(turns(9, 2), [5, 4]);
    assert_eq!(turns(8, 2), [4, 4]);
    assert_eq!(turns(32, 2), [15, 15, 1, 1]);
}

#[test]
fn few_tasks_are_taken_one_by_one() {
    assert_eq!(turns(2, 1), [1, 1]);
    assert_eq!(turns(4, 2), [1; 4]);
    assert_eq!(turns(16, 16), [1; 16]);
    // Even if the other thread is at one of them: it will be back before they are done.
    assert_eq!(choose(&[Some(PAGE); 3], 1, 2), []);
}

#[test]
fn what_is_taken_at_once_is_bounded() {
    assert_eq!(choose(&[Some(PAGE); 1000], 0, 1).len(), MAX_TASKS);
    assert_eq!(choose(&[Some(1 << 20); 1000], 0, 1).len(), 8);
    assert_eq!(choose(&[Some(2 << 20); 1000], 0, 1).len(), 4);
    assert_eq!(choose(&[Some(3 << 20); 1000], 0, 1), []);
    assert_eq!(choose(&[Some(usize::MAX); 1000], 0, 1), []);
}

#[test]
fn lanes_are_full_or_nearly() {
    for (tasks, taken) in [(3, 3), (4, 4), (5, 5), (7, 5), (8, 8), (10, 10), (12, 10), (13, 13)] {
        assert_eq!(choose(&vec![Some(PAGE); tasks], 0, 1).len(), taken, "of {tasks}");
    }
}

#[test]
fn others_are_passed_over_but_not_at_the_head() {
    let mixed: Vec<_> = (0..40).map(|place| (place % 2 == 0).then_some(PAGE)).collect();
    assert_eq!(choose(&mixed, 0, 4), [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    assert_eq!(choose(&mixed[1..], 0, 4), []);
    let mut far = vec![None; 1000];
    far[0] = Some(PAGE);
    far[MAX_EXAMINED..].fill(Some(PAGE));
    assert_eq!(choose(&far, 0, 1), []);
}
