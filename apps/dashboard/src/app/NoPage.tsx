import { Anchor, List, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../kit/Page';
import { pathTo } from '../routes/paths';
import { common } from '../text/common';

export function NoPage() {
  return (
    <Page title={common.error.noPage}>
      <Text>{common.error.noPageText}</Text>
      <List>
        <List.Item>
          <Anchor component={Link} to={pathTo.overview()}>
            {common.nav.overview}
          </Anchor>
        </List.Item>
        <List.Item>
          <Anchor component={Link} to={pathTo.jobs()}>
            {common.nav.jobs}
          </Anchor>
        </List.Item>
      </List>
    </Page>
  );
}
