/** Background work: no request waits for it, and its statements are not counted as statements of requests. */
import { Activity, currentActivity, inActivity } from "./watch/activity.js";
import type { Span } from "./watch/span.js";

const background = new Activity(true);

/** `span` is the span of the work, if it is traced. */
export const inBackground = <T>(work: () => T, span?: Span): T => inActivity(span ? new Activity(true, span) : background, work);

export const isInBackground = (): boolean => currentActivity()?.isBackground === true;
