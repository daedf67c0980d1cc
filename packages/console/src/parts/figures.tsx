/** A few numbers that a page begins with. */
export function Figures({ of }: { of: readonly (readonly [value: string, what: string])[] }) {
  return (
    <div className="figures">
      {of.map(([value, what]) => (
        <div key={what} className="figure">
          <strong>{value}</strong> {what}
        </div>
      ))}
    </div>
  );
}
