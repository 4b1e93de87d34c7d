# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints SQL for sqlite3: tables, indices, joins, JSON, triggers.  usage: make_sql.py [QUERIES]"""
import sys

HEAD = """
create table t(a integer primary key, b text, c real);
create table log(n integer, what text);
create trigger watch after update on t begin insert into log values(new.a, new.b); end;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
insert into t select i, hex(i * 7919), i * 0.5 from n;
create index by_b on t(b);
select count(*), sum(length(b)) from t where b like '%A%';
select substr(b, 1, 2), group_concat(a) from t group by 1 order by 1 limit 5;
select t1.a from t t1 join t t2 on t1.b = t2.b where t1.a % 100 = 0 limit 10;
begin;
"""


def main():
    print(HEAD)
    for i in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
        print("select json_extract('{\"a\":[1,2,{\"b\":%d}]}', '$.a[2].b'), "
              "(select max(b) from t where a > %d);" % (i, i * 7 % 1999))
        print("update t set b = b || '%d' where a = %d;" % (i, i * 13 % 1999 + 1))
    print("commit; select count(*), sum(n) from log; pragma integrity_check;")


main()
