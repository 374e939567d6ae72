// Shows /openapi.json in Swagger UI. All files come from this service, and the key goes to it alone.
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import "./style.css";

const dark = matchMedia("(prefers-color-scheme: dark)");
const showTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", showTheme);
showTheme();

/** The demo's key, where the page is opened on the machine that serves it. */
async function demoKey() {
  const response = await fetch("/docs/settings.json");
  return response.ok ? (await response.json()).demoKey : null;
}

const key = await demoKey().catch(() => null);
const ui = SwaggerUI({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  // Else the page would ask a validator elsewhere about the description.
  validatorUrl: null,
  onComplete() {
    if (!key) return;
    ui.preauthorizeApiKey("apiKey", key);
    document.getElementById("demo").hidden = false;
  },
});
