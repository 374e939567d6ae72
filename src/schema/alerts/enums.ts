/** Enums of notifications and webhooks. */
import { defineEnum } from "../enums.js";

export const NotificationType = defineEnum("NotificationType", "What detected the condition that a notification reports.", {
  anomaly: "A pattern found by predictive models.",
  threshold: "A value beyond a configured threshold.",
  trend: "A concerning trend over time.",
  maintenance: "A maintenance recommendation.",
  system: "A message from the system itself.",
});
export type NotificationType = (typeof NotificationType)[keyof typeof NotificationType];

export const Severity = defineEnum("Severity", "Severity of a notification.", {
  info: "No action required.",
  warning: "Attention recommended.",
  critical: "Immediate action required.",
});
export type Severity = (typeof Severity)[keyof typeof Severity];

export const NotificationStatus = defineEnum("NotificationStatus", "Status of a notification.", {
  open: "Not yet acknowledged.",
  acknowledged: "Someone has seen it.",
  in_progress: "Someone is working on it.",
  resolved: "The condition has been resolved.",
  dismissed: "Dismissed as a false positive.",
});
export type NotificationStatus = (typeof NotificationStatus)[keyof typeof NotificationStatus];

export const AlertVerdict = defineEnum("AlertVerdict", "Whether a notification was right.", {
  confirmed: "There was something wrong with the equipment.",
  false_alarm: "There was nothing wrong.",
  unclear: "It could not be found out. It counts neither for nor against the detector.",
});
export type AlertVerdict = (typeof AlertVerdict)[keyof typeof AlertVerdict];

export const AlertOutcome = defineEnum("AlertOutcome", "What became of a notification when its work order was completed.", {
  resolved: "It was resolved.",
  still_met: "It stays in progress, because its condition was still met. It is resolved once readings are back.",
});
export type AlertOutcome = (typeof AlertOutcome)[keyof typeof AlertOutcome];

export const WebhookEventKind = defineEnum("WebhookEventKind", "Kind of event that a webhook can subscribe to.", {
  "work_order.created": "A work order was created.",
  "work_order.status_changed": "The status of a work order changed.",
  "work_order.assigned": "A work order was assigned to somebody, or to nobody any more.",
  "notification.raised": "A notification was raised.",
  "notification.status_changed": "The status of a notification changed.",
  "asset.status_changed": "The status of an asset changed.",
  "record.changed": "A record changed whose type is among the webhook's `recordTypes`.",
});
export type WebhookEventKind = (typeof WebhookEventKind)[keyof typeof WebhookEventKind];

export const DeliveryStatus = defineEnum("DeliveryStatus", "Status of the delivery of an event.", {
  pending: "Waiting to be sent or retried.",
  delivered: "Accepted by the receiver.",
  failed: "Given up after the last attempt.",
});
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];

export const CircuitState = defineEnum("CircuitState", "Whether deliveries to a webhook are attempted.", {
  closed: "They are, as they come.",
  open: "Several in a row failed: there is one attempt at a time, at intervals of up to 5 minutes, until one succeeds.",
});
export type CircuitState = (typeof CircuitState)[keyof typeof CircuitState];
