/** Units of readings: supported conversions, checked with published figures. */
import { describe, expect, test } from "vitest";
import { converterOf } from "../../../src/domain/maintenance/meters/units.js";

test.each([
  [25.4, "mm/s", "in/s", 1],
  [1, "ips", "mm/s", 25.4],
  [300, "µm", "mm", 0.3],
  [300, "μm", "um", 300],
  [12, "mil", "µm", 304.8],
  [100, "°C", "°F", 212],
  [-40, "degF", "C", -40],
  [20, "°C", "K", 293.15],
  [5, "°C/min", "°F/min", 9],
  [6, "m³/h", "l/min", 100],
  [6, "m^3/h", "L / min", 100],
  [1500, "rpm", "Hz", 25],
  [25, "Hz", "1/min", 1500],
  [1, "bar", "kPa", 100],
  [100, "psi", "bar", 6.89475729317],
  [1000, "mbar", "bar", 1],
  [2, "MPa", "mPa", 2_000_000_000],
  [1, "kWh", "MJ", 3.6],
  [100, "kW", "hp", 134.10220896],
  [9.80665, "m/s²", "g", 1],
  [2, "g", "mm/s2", 19_613.3],
  [500, "g", "kg", 0.5],
  [3, "Nm", "N·m", 3],
  [3, "N·m", "N*m", 3],
  [3, "kN·m", "N-m", 3000],
  [5, "W/(m²·K)", "W/m2 K", 5],
  [7, "cSt", "mm²/s", 7],
  [50, "%", "ppm", 500_000],
  [36, "km/h", "m/s", 10],
  [90, "°", "rad", 1.57079632679],
  [1, "A*s", "mA·s", 1000],
  [10, "kΩ", "kohm", 10],
])("%d %s is as many %s: %d", (value, from, to, expected) => {
  expect(converterOf(from, to)?.(value)).toBe(expected);
});

describe("no conversion", () => {
  test.each([
    ["µm", "mm/s"],
    ["mm/s", "mm/s²"],
    ["g", "mm/s"],
    ["°C", "bar"],
    ["kW", "kVA"],
    ["dB", "dB(A)"],
    ["bananas", "mm"],
    ["mm", "bananas"],
    ["m/bananas", "m/s"],
    ["constructor", "__proto__"],
    ["mm//s", "mm/s"],
    ["", "m"],
  ])("from %s to %s", (from, to) => {
    expect(converterOf(from, to)).toBeUndefined();
  });

  test("for an unknown unit, except into itself", () => {
    expect(converterOf("barg", "barg")?.(3)).toBe(3);
    expect(converterOf(" barg", "barg")?.(3)).toBe(3);
  });

  test("a value stays exactly as it is in its own unit", () => {
    expect(converterOf("mm/s", "mm/s")?.(0.1 + 0.2)).toBe(0.1 + 0.2);
  });
});
