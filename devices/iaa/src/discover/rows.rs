//! What was found, as rows of the report.

use super::commands;
use super::obstacle::Obstacle;
use super::report::Row;
use super::survey::{SurveyedDevice, SurveyedQueue};
use super::words;

impl SurveyedDevice {
    /// A row for the device, and one for each queue.
    pub(super) fn rows(&self) -> Vec<Row> {
        let usable = self.queues.iter().filter(|queue| queue.is_usable()).count();
        let what = self.device.as_ref().map(|device| words::device(device, usable));
        let why = self.obstacle.as_ref().map(ToString::to_string);
        let row = Row {
            name: self.name.clone(),
            usable: self.obstacle.is_none(),
            detail: why.into_iter().chain(what).collect::<Vec<_>>().join("; "),
            enable: self.obstacle.as_ref().map(Obstacle::enable).unwrap_or_default(),
        };
        [row].into_iter().chain(self.queues.iter().map(SurveyedQueue::row)).collect()
    }
}

impl SurveyedQueue {
    fn row(&self) -> Row {
        let (usable, detail, enable) = match &self.outcome {
            Ok((queue, None)) => (true, words::queue(queue, None), Vec::new()),
            Ok((queue, Some(refusal))) => {
                let enable = if refusal.for_lack_of_rights { commands::allow_mapping() } else { Vec::new() };
                (true, words::queue(queue, Some(&refusal.why)), enable)
            }
            Err(obstacle) => (self.is_usable(), obstacle.to_string(), obstacle.enable()),
        };
        Row { name: self.name.clone(), usable, detail, enable }
    }
}
