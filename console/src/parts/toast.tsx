/** Short messages that disappear automatically. Screen readers announce them. */
import { Check, CircleAlert } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
}

const Context = createContext<(text: string, isBad?: boolean) => void>(() => {});
export const useToast = () => useContext(Context);

let last = 0;

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const show = useCallback((text: string, isBad = false) => {
    const id = ++last;
    // A repeated message replaces the previous copy.
    setToasts((shown) => [...shown.filter((toast) => toast.text !== text).slice(-2), { id, text, isBad }]);
    setTimeout(() => setToasts((shown) => shown.filter((toast) => toast.id !== id)), isBad ? 8000 : 4000);
  }, []);
  return (
    <Context value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, isBad }) => (
          <div key={id} className={`toast${isBad ? " bad" : ""}`}>
            {isBad ? <CircleAlert className="icon" aria-hidden /> : <Check className="icon" aria-hidden />}
            {text}
          </div>
        ))}
      </div>
    </Context>
  );
}
