import { createContext, useContext } from "react";

/** The site that a page is about. Its dates are in the site's time zone. */
export const SiteContext = createContext<string | undefined>(undefined);
export const useSite = (): string | undefined => useContext(SiteContext);
