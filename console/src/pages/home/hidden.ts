/** Whether the user hid the guide of a new plant in this browser. */
const key = (tenantId: string) => `console:set-up-hidden:${tenantId}`;

/** The browser may block storage. */
export function isSetUpHidden(tenantId: string): boolean {
  try {
    return localStorage.getItem(key(tenantId)) !== null;
  } catch {
    return false;
  }
}

export function hideSetUp(tenantId: string): void {
  try {
    localStorage.setItem(key(tenantId), "1");
  } catch {
    // The guide stays hidden as long as the page is open.
  }
}
