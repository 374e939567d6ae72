import { useQuery } from "urql";
import { Places, type PlacesQuery } from "../generated/places.js";
import { useSession } from "../session/session.js";

type Site = NonNullable<PlacesQuery["sites"]>[number];

/** Sites in use, with their areas, to choose from. Read when first needed. */
export function usePlaces(isNeeded = true): Site[] {
  const [{ data }] = useQuery({ query: Places, pause: !isNeeded });
  return data?.sites?.filter(({ name }) => name) ?? [];
}

/** Names of the sites whose records the user may change. */
export function useOwnSites(): string[] {
  const { sites } = useSession();
  const names = usePlaces().map(({ name }) => name);
  return sites.length ? sites : names;
}
