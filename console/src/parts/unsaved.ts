/** Forms with changes that are not saved. The document's events cover every form, so a form needs no code of its own. */

/** The values of a form when it was first focused. Absent if a change cannot be undone by typing. */
const before = new WeakMap<HTMLFormElement, string>();
const touched = new Set<HTMLFormElement>();
/** Forms that were submitted and whose outcome is unknown. */
const sent = new Set<HTMLFormElement>();

const valuesOf = (form: HTMLFormElement): string =>
  JSON.stringify(
    [...form.elements].map((one) => (one instanceof HTMLInputElement ? [one.value, one.checked] : (one as HTMLSelectElement).value)),
  );

const formOf = ({ target }: Event): HTMLFormElement | null => (target instanceof Element ? target.closest("form") : null);

function onFocus(event: Event): void {
  const form = formOf(event);
  if (form && !touched.has(form) && !before.has(form)) before.set(form, valuesOf(form));
}

function onInput(event: Event): void {
  const form = formOf(event);
  if (!form) return;
  touched.add(form);
  sent.delete(form);
  // File fields are emptied once the file is read.
  if ((event.target as HTMLInputElement).type === "file") before.delete(form);
}

/** Buttons of lists inside a form add, move and remove their items. */
function onClick(event: Event): void {
  const form = formOf(event);
  if (!form || !(event.target as Element).closest("fieldset button[type=button]")) return;
  touched.add(form);
  before.delete(form);
}

function onSubmit(event: Event): void {
  const form = formOf(event);
  if (form) sent.add(form);
}

const listeners = { focusin: onFocus, input: onInput, click: onClick, submit: onSubmit };

/** Watches all forms of the document. Returns the function that stops. */
export function watchForms(): () => void {
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener, true);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener, true);
  };
}

const changedIn = (place: Node): HTMLFormElement[] => {
  for (const form of touched) if (!form.isConnected) touched.delete(form);
  return [...touched].filter((form) => place.contains(form) && before.get(form) !== valuesOf(form));
};

export const hasChanges = (place: Node = document): boolean => changedIn(place).length > 0;

function forget(forms: Iterable<HTMLFormElement>): void {
  for (const form of forms) {
    touched.delete(form);
    before.delete(form);
  }
}

/** A change was saved or rejected. If it was saved, the submitted form has no unsaved changes. */
export function settleForms(isSaved: boolean): void {
  if (isSaved) forget(sent);
  sent.clear();
}

let ask: (() => Promise<boolean>) | undefined;

/** Sets the question that the user answers before changes are lost. */
export function setQuestion(question: typeof ask): void {
  ask = question;
}

/** Resolves to true if no form in the place has changes, or if the user discards them. */
export async function mayDiscard(place: Node = document): Promise<boolean> {
  const changed = changedIn(place);
  if (changed.length && ask && !(await ask())) return false;
  forget(changed);
  return true;
}
