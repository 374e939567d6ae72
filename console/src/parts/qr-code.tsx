import { useEffect, useState } from "react";

/** A QR code as a picture that scales. `label` names its contents. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ size: number; path: string }>();
  useEffect(() => {
    let isCurrent = true;
    void import("uqr").then(({ encode }) => {
      const { data, size } = encode(text, { ecc: "M", border: 2 });
      const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
      if (isCurrent) setCode({ size, path });
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return (
    <svg
      className="qr-code"
      viewBox={`0 0 ${code?.size ?? 1} ${code?.size ?? 1}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={code?.path} fill="#000" />
    </svg>
  );
}
