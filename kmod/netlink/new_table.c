// SPDX-License-Identifier: GPL-2.0
/* TABLE of SESSION_NEW: checks its keys and values against those of the provider. */
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/cgroup.h"
#include "compat/genl.h"
#include "core/provider.h"
#include "core/session.h"
#include "netlink/new_table.h"

/* There is at least one key, each key occurs once, and only zeroes follow the last key. */
static bool new_table_are_keys_in_order(const struct ktrace_table *table)
{
	u32 seen = 0;
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++) {
		if (table->keys[i] >= __KTRACE_KEY_MAX)
			return false;
		if (!table->keys[i])
			continue;
		if ((i && !table->keys[i - 1]) || (seen & 1U << table->keys[i]))
			return false;
		seen |= 1U << table->keys[i];
	}
	return seen;
}

static bool new_table_are_keys_offered(const struct ktrace_table *table,
				       const struct kt_columns *columns)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		if (table->keys[i] && !(columns->keys & 1U << table->keys[i]))
			return false;
	return true;
}

static bool new_table_has_key(const struct ktrace_table *table, u32 key)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		if (table->keys[i] == key)
			return true;
	return false;
}

static int new_table_check(struct netlink_ext_ack *extack, const struct kt_session_config *config)
{
	const struct kt_columns *columns = config->provider->columns;
	const struct ktrace_table *table = &config->table;

	if (!new_table_are_keys_in_order(table))
		return kt_refuse(extack, -EINVAL, "A table has one to four keys, each once.");
	if (!new_table_are_keys_offered(table, columns))
		return kt_refuse(extack, -EINVAL,
				 "The provider has no table with one of these keys.");
	if (table->values & ~kt_columns_row_values(columns, config->sinks, config->flags))
		return kt_refuse(extack, -EINVAL,
				 "The provider has no table with one of these values.");
	if (table->flags & ~KTRACE_TABLE_HISTOGRAM)
		return kt_refuse(extack, -EINVAL, "A flag of the table is not known.");
	if (table->max_rows > KTRACE_TABLE_MAX_ROWS)
		return kt_refuse(extack, -E2BIG, "A table has at most 1048576 rows.");
	if (new_table_has_key(table, KTRACE_KEY_CGROUP) && !KT_KNOWS_CGROUPS)
		return kt_refuse(extack, -EOPNOTSUPP, "This kernel has no cgroups of version 2.");
	return 0;
}

int kt_new_table_get(const struct genl_info *info, struct kt_session_config *config)
{
	const struct nlattr *attr = info->attrs[KTRACE_A_TABLE];
	struct netlink_ext_ack *extack = kt_info_extack(info);

	if (!attr != !(config->sinks & KTRACE_SINK_TABLE))
		return kt_refuse(extack, -EINVAL, "The sink of a table and TABLE go together.");
	if (!attr)
		return 0;
	if (nla_len(attr) != sizeof(config->table))
		return kt_refuse(extack, -EINVAL, "TABLE is not one struct ktrace_table.");
	memcpy(&config->table, nla_data(attr), sizeof(config->table));
	if (!config->table.values)
		config->table.values = kt_columns_row_values(config->provider->columns,
							     config->sinks, config->flags);
	if (!config->table.max_rows)
		config->table.max_rows = KTRACE_TABLE_ROWS;
	return new_table_check(extack, config);
}
