/**
 * Invitation links: the console's address with a secret in its fragment, which works once. Browsers never send a fragment, so the secret
 * reaches no log, and it is removed from the address before anything else runs.
 */
const form = /^#invitation=([0-9a-f]{64})$/;

function taken(): string | undefined {
  const secret = form.exec(location.hash)?.[1];
  if (secret) history.replaceState(history.state, "", location.pathname + location.search);
  return secret;
}

/** The secret of the link by which the console was opened. */
export const invitation = taken();

// A link that is pasted into the address of the open console changes only the fragment.
addEventListener("hashchange", () => form.test(location.hash) && location.reload());
