/** Labels of keys that users and other systems choose, such as `powerKw` and `flow_m3h`. They are data, so their words stay as they are. */

const units: Record<string, string> = Object.fromEntries(
  "%,A,bar,°C,cm,dm³,g,GHz,h,Hz,K,kA,kg,kg/h,kHz,km,kN,kPa,kV,kVA,kvar,kW,kWh,l,l/h,l/min,m,m/min,m/s,m²,m³,m³/h,m³/min,mA,mbar,MHz,min,ml,ml/s,mm,mm/s,MPa,MW,N,Nm,Pa,rpm,s,t,t/h,V,VA,W,Wh,µm"
    .split(",")
    .flatMap((unit) => {
      const key = unit.toLowerCase().replace("²", "2").replace("³", "3").replace("°", "").replace("µ", "u").replace("%", "percent");
      // As in `flow_l_h` and `flowM3h`.
      return [key.replace("/", "_"), key.replace("/", "")].map((one) => [one, unit]);
    }),
);
/** Single letters that end words of their own, such as in `series_a`. */
const ambiguous = new Set(["a", "g", "h", "k", "n", "s", "t", "w", "c"]);

/** `powerKw` → `Power (kW)`. Keys with spaces were written for readers and keep their form. */
export function factLabel(key: string): string {
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  if (/\s/.test(key.trim()) || !/[a-z]/i.test(key)) return capital(key.trim());
  const words = key
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1_$2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1_$2")
    .split(/[_.-]+/)
    .filter(Boolean);
  const length = [2, 1].find((size) => words.length > size && units[unitKey(words.slice(-size))]);
  const unit = length && units[unitKey(words.slice(-length))];
  const isCapitals = key === key.toUpperCase();
  const named = (length ? words.slice(0, -length) : words).map((word) =>
    !isCapitals && word.length > 1 && word === word.toUpperCase() ? word : word.toLowerCase(),
  );
  return capital(named.join(" ")) + (unit ? ` (${unit})` : "");
}

const unitKey = (words: string[]): string => {
  const key = words.join("_").toLowerCase();
  return ambiguous.has(key) ? "" : key;
};
