/** Format of a chosen CSV file, and the record column for each column of the file. */
import { t } from "@lingui/core/macro";
import { Select } from "../../parts/field.js";
import type { Inspected } from "./import-file.js";

const encodings = [
  ["utf-8", t`UTF-8`],
  ["windows-1252", t`Windows-1252`],
  ["utf-16le", t`UTF-16`],
  ["utf-16be", t`UTF-16, big endian`],
] as const;

const separators = [
  ["comma", t`Comma`],
  ["semicolon", t`Semicolon`],
  ["tab", t`Tab`],
] as const;

interface Props {
  file: Inspected;
  columns: string[];
  isBusy: boolean;
  onFormat: (format: { encoding: string; separator: string }) => void;
  onColumns: (columns: string[]) => void;
}

export function ImportColumns({ file, columns, isBusy, onFormat, onColumns }: Props) {
  const { encoding, separator, fileColumns, sheetColumns } = file;
  const missing = sheetColumns.filter(({ name, required }) => required && !columns.includes(name)).map(({ name }) => name);
  return (
    <>
      <div className="two-columns">
        <Select
          label={t`Encoding`}
          value={encoding}
          disabled={isBusy}
          onChange={(event) => onFormat({ encoding: event.target.value, separator })}
        >
          {encodings.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
        <Select
          label={t`Separator`}
          value={separator}
          disabled={isBusy}
          onChange={(event) => onFormat({ encoding, separator: event.target.value })}
        >
          {separators.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <fieldset className="import-columns">
        <legend className="label">{t`Columns of the file`}</legend>
        {fileColumns.map(({ header, samples }, at) => (
          <Select
            // Headers can repeat.
            key={at}
            label={header || t`Column ${at + 1}`}
            hint={samples.filter(Boolean).join(" · ") || t`No values in the first rows`}
            value={columns[at]}
            disabled={isBusy}
            onChange={(event) => onColumns(columns.with(at, event.target.value))}
          >
            <option value="">{t`Not imported`}</option>
            {sheetColumns.map(({ name, required }) => (
              <option key={name} value={name} disabled={columns.includes(name) && columns[at] !== name}>
                {required ? t`${name} (required)` : name}
              </option>
            ))}
          </Select>
        ))}
      </fieldset>
      {missing.length > 0 && <p className="wrong">{t`Choose a column of the file for: ${missing.join(", ")}`}</p>}
    </>
  );
}
