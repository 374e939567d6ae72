import { v7 as uuid } from "uuid";

/** A new record id: a UUIDv7, so that ids sort by creation. */
export const newId = (): string => uuid();
