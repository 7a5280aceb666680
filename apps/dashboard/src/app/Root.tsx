import { Live } from '../live/Live';
import { Shell } from './Shell';

export function Root() {
  return (
    <Live>
      <Shell />
    </Live>
  );
}
