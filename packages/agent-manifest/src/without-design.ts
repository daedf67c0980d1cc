/**
 * Removes the fields that only an editor uses: `x-design` and `design_metadata`. They are removed only in the metadata
 * and in steps. In other places, a field with the same name is data, for example an input of a step.
 */
const EDITOR_FIELDS: ReadonlySet<string> = new Set(['x-design', 'design_metadata']);

type Fields = Readonly<Record<string, unknown>>;

/** A manifest or a graph recipe, as plain data. */
type WithDesign = {
  metadata: Fields;
  workflow?: { steps: Readonly<Record<string, Fields>> } | undefined;
};

export function withoutDesign<Document extends WithDesign>(document: Document): Fields {
  const { metadata, workflow } = document;
  const steps = Object.entries(workflow?.steps ?? {}).map(([key, step]) => [key, withoutEditorFields(step)]);
  return {
    ...document,
    metadata: withoutEditorFields(metadata),
    ...(workflow !== undefined && { workflow: { ...workflow, steps: Object.fromEntries(steps) } }),
  };
}

export function withoutEditorFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !EDITOR_FIELDS.has(name)));
}
