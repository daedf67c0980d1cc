/** A question that must be answered before something happens. */
import { Dialog } from '@base-ui/react/dialog';
import { type FormEvent, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import styles from './parts.module.css';
import { Problem } from './problem.tsx';

export type Asking = {
  title: string;
  children: ReactNode;
  /** The text of the button that confirms. */
  does: string;
  isGrave?: boolean;
  /** Why the action is not possible yet, as the text of the button. Null: it is possible. */
  whyNot?: string | null;
  onDo: () => Promise<void>;
  onClose: () => void;
  /** The element that gets the focus when the question opens. Default: the first field or button. */
  first?: RefObject<HTMLElement | null>;
};

/** Enter confirms, Escape cancels. After that, the element that had the focus before gets it back. */
export function Ask({ title, children, does, isGrave = false, whyNot = null, onDo, onClose, first }: Asking) {
  const [failed, setFailed] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // The second of two quick keys may come before the question has the focus. The key still counts for the question.
  useLayoutEffect(() => {
    function onKey(event: KeyboardEvent) {
      const isInside = event.target instanceof Node && form.current?.contains(event.target) === true;
      if (event.key !== 'Enter' || event.repeat || isInside) return;
      event.preventDefault();
      event.stopPropagation();
      form.current?.requestSubmit();
    }
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, []);
  async function answer(event: FormEvent) {
    event.preventDefault();
    if (whyNot !== null || isBusy) return;
    setBusy(true);
    try {
      await onDo();
    } catch (error) {
      setFailed(error);
      setBusy(false);
    }
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.dialog} {...(first !== undefined && { initialFocus: first })}>
          <Dialog.Title>{title}</Dialog.Title>
          <form ref={form} className="stack" onSubmit={(event) => void answer(event)}>
            {children}
            {failed !== null && <Problem error={failed} />}
            {whyNot !== null && <p className="quiet">{whyNot}</p>}
            <div className={styles.actions}>
              <button type="button" onClick={onClose}>
                Cancel
              </button>
              <button
                type="submit"
                className={isGrave ? 'danger' : 'primary'}
                aria-disabled={whyNot !== null || isBusy}
              >
                {isBusy ? 'Working …' : does}
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
