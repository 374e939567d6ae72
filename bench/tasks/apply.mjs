// apply-hierarchical of a template of 1,000 components. Expected: below 1,000 ms.
export default async function apply({ newTenant, compare }) {
  const { headers, address } = await newTenant("apply");
  const post = async (path, body) => {
    const response = await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const item = (depth) => ({
    name: "Part",
    type: "part",
    specifications: { a: 1 },
    ...(depth && { components: Array.from({ length: 9 }, () => item(depth - 1)) }),
  });
  const template = await post("/components/templates", {
    name: "Thousand",
    type: "line",
    components: [item(3), ...Array.from({ length: 180 }, () => item(0))],
  });
  const asset = await post("/assets", { name: "Line", type: "line" });
  let n = 0;
  return compare(
    {
      "1,000 components": () =>
        post(`/components/templates/${template.id}/apply-hierarchical`, {
          assetId: asset.id,
          customizations: { serialNumberPrefix: `L${n++}-` },
        }),
    },
    10,
  );
}
