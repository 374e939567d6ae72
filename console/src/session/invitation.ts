/**
 * Invitation links: the console's address with a key in its fragment. Browsers never send a fragment, so the key reaches no log, and it is
 * removed from the address before anything else runs.
 */
const form = /^#key=(mg_\w+)$/;

export const invitationLink = (key: string): string => `${location.origin}/console/#key=${key}`;

function taken(): string | undefined {
  const key = form.exec(location.hash)?.[1];
  if (key) history.replaceState({}, "", location.pathname + location.search);
  return key;
}

/** The key of the link by which the console was opened. */
export const invitation = taken();

// A link that is pasted into the address of the open console changes only the fragment.
addEventListener("hashchange", () => form.test(location.hash) && location.reload());
