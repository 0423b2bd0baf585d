-- Whether a management key reaches its workspace alone; else all of the account. False of inference keys.
alter table api_keys add column is_workspace_bound boolean not null default false;

-- Those of another workspace than the default one were made for it.
update api_keys k set is_workspace_bound = true
from workspaces w
where k.kind = 'management' and w.account_id = k.account_id and w.id = k.workspace_id and not w.is_default;

alter table api_keys add constraint api_keys_bound_check check (kind = 'management' or not is_workspace_bound);
