/** Work that no request asked for and none waits for: its statements are not counted among those of requests. */
import { Activity, currentActivity, inActivity } from "./watch/activity.js";
import type { Span } from "./watch/span.js";

const background = new Activity(true);

/** `span` is the part of a trace that the work is, if it is traced. */
export const inBackground = <T>(work: () => T, span?: Span): T => inActivity(span ? new Activity(true, span) : background, work);

export const isInBackground = (): boolean => currentActivity()?.isBackground === true;
