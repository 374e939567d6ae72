// First, so that the secret of an invitation leaves the address before the router reads it.
import "./session/invitation.js";
import "./session/early.js";
import { activateLanguage } from "./language/language.js";
import { loadPage } from "./pages.js";
// Imported here rather than in the stylesheet, so that the font appears in the list of delivered packages.
import "@fontsource-variable/inter/wght.css";
import "./style/style.css";

// The modules of the console use texts while they load.
await activateLanguage();
const app = import("./app.js");
loadPage(location.pathname);
(await app).start();
