/** The labels of the records that the page found. */
import { plural } from "@lingui/core/macro";
import type { LabelsPageQuery } from "../../generated/labels.js";
import type { Label } from "../../parts/label-sheets.js";

/** The address of a record in this console. */
const addressOf = (path: string, search: Record<string, string> = {}): string => {
  const words = new URLSearchParams(search).toString();
  return `${location.origin}/console${path}${words && `?${words}`}`;
};

export function labelsOf(data: LabelsPageQuery | undefined): Label[] {
  const assets = data?.asset ? [data.asset] : data?.assets?.nodes;
  if (assets)
    return assets.map(({ id, name, serialNumber, externalId, site, area }) => ({
      id,
      name,
      address: addressOf(`/asset/${id}`),
      code: externalId ?? serialNumber,
      place: `${site} · ${area}`,
    }));
  if (data?.components)
    return data.components.nodes.flatMap(({ id, name, serialNumber, externalId, asset }) =>
      asset
        ? {
            id,
            name,
            address: addressOf(`/asset/${asset.id}`, { tab: "components", component: id }),
            code: externalId ?? serialNumber,
            place: `${asset.name} · ${asset.site}`,
          }
        : [],
    );
  if (data?.inventory)
    return data.inventory.nodes.map(({ id, part, site, location: bin }) => ({
      id,
      name: part.name,
      address: addressOf(`/stock/${part.id}`),
      code: part.partNumber,
      place: [site, bin].filter(Boolean).join(" · "),
    }));
  return (data?.inventoryGroups ?? []).flatMap(({ site, location: bin, count: parts }) =>
    site && bin
      ? {
          id: JSON.stringify([site, bin]),
          name: plural(parts, { one: "# part", other: "# parts" }),
          address: addressOf("/stock", { view: "all", site, bin }),
          code: bin,
          place: site,
        }
      : [],
  );
}
