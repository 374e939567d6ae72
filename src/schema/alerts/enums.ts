/** Enums of notifications and webhooks. */
import { defineEnum } from "../enums.js";

export const NotificationType = defineEnum("NotificationType", "Source of the condition that a notification reports.", {
  anomaly: "A pattern found by predictive models.",
  threshold: "A value beyond a configured threshold.",
  trend: "A concerning trend over time.",
  maintenance: "A maintenance recommendation.",
  system: "A message from the system.",
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
  acknowledged: "Acknowledged by a person.",
  in_progress: "Being worked on.",
  resolved: "The condition has been resolved.",
  dismissed: "Dismissed as a false positive.",
});
export type NotificationStatus = (typeof NotificationStatus)[keyof typeof NotificationStatus];

export const AlertVerdict = defineEnum("AlertVerdict", "Verdict on the accuracy of a notification.", {
  confirmed: "The equipment had a problem.",
  false_alarm: "The equipment had no problem.",
  unclear: "Could not be determined. Counts neither for nor against the detector.",
});
export type AlertVerdict = (typeof AlertVerdict)[keyof typeof AlertVerdict];

export const AlertOutcome = defineEnum("AlertOutcome", "Outcome of a notification when its work order was completed.", {
  resolved: "The notification was resolved.",
  still_met: "The notification stays in progress, because its condition is still met. It is resolved once readings return to normal.",
});
export type AlertOutcome = (typeof AlertOutcome)[keyof typeof AlertOutcome];

export const WebhookEventKind = defineEnum("WebhookEventKind", "Kind of event that a webhook can subscribe to.", {
  "work_order.created": "A work order was created.",
  "work_order.status_changed": "The status of a work order changed.",
  "work_order.assigned": "A work order was assigned or unassigned.",
  "notification.raised": "A notification was raised.",
  "notification.status_changed": "The status of a notification changed.",
  "asset.status_changed": "The status of an asset changed.",
  "record.changed": "A record of one of the webhook's `recordTypes` changed.",
});
export type WebhookEventKind = (typeof WebhookEventKind)[keyof typeof WebhookEventKind];

export const DeliveryStatus = defineEnum("DeliveryStatus", "Status of the delivery of an event.", {
  pending: "Waiting to be sent or retried.",
  delivered: "Accepted by the receiver.",
  failed: "Abandoned after the last attempt.",
});
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];

export const CircuitState = defineEnum("CircuitState", "Circuit breaker state of a webhook.", {
  closed: "Deliveries are attempted immediately.",
  open: "Several consecutive deliveries failed. One attempt is made at a time, at intervals of up to 5 minutes, until one succeeds.",
});
export type CircuitState = (typeof CircuitState)[keyof typeof CircuitState];
