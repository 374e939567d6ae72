interface Limits {
  minimum?: number | null;
  maximum?: number | null;
}

/** Whether a measured value is outside its limits. The limits are allowed values. */
export const isOutside = ({ minimum, maximum }: Limits, value: number): boolean =>
  (minimum != null && value < minimum) || (maximum != null && value > maximum);
