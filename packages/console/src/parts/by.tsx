import { Link } from '@tanstack/react-router';

/** Who did something, as the record says: `ann (kQ2mZ8xW4pLd)`, a name, or the id of a key. Leads to all changes by them. */
export function By({ who }: { who: string | null }) {
  if (who === null || who === '') return <>not recorded</>;
  return (
    <Link to="/changes" search={{ by: who }} title={`All changes by ${who}`}>
      {who}
    </Link>
  );
}
