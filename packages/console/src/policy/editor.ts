/** An editor for a policy. It is in a shadow root, because the page does not allow the editor's styles. */
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { completeFields } from './complete.ts';
import type { Place } from './messages.ts';

const LOOK = EditorView.theme({
  '&': {
    border: '1px solid var(--line)',
    borderRadius: '6px',
    background: 'var(--raised)',
    color: 'var(--text)',
    maxHeight: '34rem',
  },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '13px', minHeight: '14rem' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--quiet)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-tooltip': { background: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-changedLine': { background: 'var(--allow-ground) !important' },
  '.cm-deletedChunk': { background: 'var(--block-ground) !important' },
  '.ͼ1 .cm-selectionBackground, &.cm-focused .cm-selectionBackground': { background: 'var(--sunken)' },
});

/** The colours are those of the pages, so they can be read on a light and on a dark ground. */
const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--allow)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--defer)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
]);

export type Editing = {
  label: string;
  text: string;
  /** The text to compare with. Changed lines are marked. */
  original: string;
  /** Returns the faults and warnings of the text. */
  check: (text: string) => Promise<{ faults: readonly Place[]; doubts: readonly Place[] }>;
};

/** Returns a function that removes the editor. */
export function openEditor(host: HTMLElement, { label, text, original, check }: Editing): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        yaml(),
        syntaxHighlighting(COLOURS),
        autocompletion({ override: [completeFields] }),
        lintGutter(),
        linter(
          async ({ state }) => {
            const { faults, doubts } = await check(state.doc.toString());
            return [
              ...faults.map((one) => ({ ...placeIn(state, one), severity: 'error' as const })),
              ...doubts.map((one) => ({ ...placeIn(state, one), severity: 'warning' as const })),
            ];
          },
          { delay: 150 },
        ),
        unifiedMergeView({ original, mergeControls: false, highlightChanges: false }),
        // Tab leaves the editor, so that people who use the keyboard can leave it.
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.lineWrapping,
        LOOK,
      ],
    }),
  });
  return () => view.destroy();
}

function placeIn({ doc }: EditorState, { line, column, message }: Place) {
  const found = doc.line(Math.min(Math.max(1, line), doc.lines));
  const from = Math.min(found.from + Math.max(0, column - 1), found.to);
  return { from, to: Math.max(from, found.to), message };
}
