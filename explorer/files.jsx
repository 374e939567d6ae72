// File inputs for variables of type Upload, shown below the query.
import { useGraphiQL } from "@graphiql/react";
import { useEffect } from "react";
import { createPortal } from "react-dom";
import { uploadsOf } from "./requests.js";
import { files } from "./store.js";

const sizeOf = ({ size }) => (size < 1024 ? `${size} B` : `${Math.round(size / 1024)} KB`);

export function Files() {
  const tabId = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex].id);
  const operations = useGraphiQL((state) => state.operations);
  const chosen = files.use();
  // A file stays with the tab that it was chosen in.
  useEffect(() => () => files.set({}), [tabId]);

  const uploads = new Map((operations ?? []).flatMap(uploadsOf).map((upload) => [upload.name, upload]));
  const editor = document.querySelector(".graphiql-query-editor");
  if (!uploads.size || !editor) return null;
  const choose = (name, list) => files.set({ ...files.get(), [name]: list.length ? [...list] : undefined });
  return createPortal(
    <div className="files">
      {[...uploads.values()].map(({ name, isList }) => (
        <label key={`${tabId} ${name}`}>
          <code>${name}</code>
          <span className="choose">{isList ? "Choose files" : "Choose a file"}</span>
          <input type="file" aria-label={`File for $${name}`} multiple={isList} onChange={({ target }) => choose(name, target.files)} />
          <span className="chosen">{chosen[name]?.map((file) => `${file.name} (${sizeOf(file)})`).join(", ") ?? "no file chosen"}</span>
        </label>
      ))}
    </div>,
    editor,
  );
}
