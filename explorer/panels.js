const button = (label) => document.querySelector(`.graphiql-sidebar button[aria-label="${label}"]`);

/** GraphiQL keeps the panel's size and its content apart; only its own buttons change both. */
export const showPanel = (title) => button(`Show ${title}`)?.click();
export const hidePanel = (title) => button(`Hide ${title}`)?.click();
