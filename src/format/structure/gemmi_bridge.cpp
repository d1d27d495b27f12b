#include "format/structure/gemmi_bridge.h"

#include <cmath>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#include <gemmi/cif.hpp>
#include <gemmi/numb.hpp>
#pragma GCC diagnostic pop

extern "C" {
#include "base/error.h"
}

struct qn_cif_table {
    gemmi::cif::Document document;
    size_t rows = 0;
    int line = 0;
    const gemmi::cif::Loop *loop = nullptr;   // the category's loop, or NULL
    std::vector<const std::string *> singles; // the category's single values; NULL: absent
    std::vector<int> places;                  // of the columns in the loop; -1: absent
};

namespace
{

using gemmi::cif::Item;
using gemmi::cif::ItemType;

bool in_category(const Item &item, const std::string &prefix)
{
    return item.has_prefix(prefix);
}

/* Point the table at a block's category; false when the block lacks it. */
bool select(qn_cif_table &table, const gemmi::cif::Block &block, const std::string &prefix,
            const std::vector<std::string> &tags)
{
    bool found = false;
    table.places.assign(tags.size(), -1);
    table.singles.assign(tags.size(), nullptr);
    for (const Item &item : block.items) {
        if ((item.type != ItemType::Loop && item.type != ItemType::Pair) || !in_category(item, prefix)) continue;
        if (!found) table.line = item.line_number;
        found = true;
        if (item.type == ItemType::Loop) {
            table.loop = &item.loop;
            table.rows = item.loop.length();
            for (size_t i = 0; i < tags.size(); i++) table.places[i] = item.loop.find_tag(tags[i]);
            return true;
        }
        table.rows = 1;
        for (size_t i = 0; i < tags.size(); i++)
            if (gemmi::iequal(item.pair[0], gemmi::to_lower(tags[i]))) table.singles[i] = &item.pair[1];
    }
    return found;
}

qn_status broken(const char *name, const char *reason)
{
    const bool named = std::strncmp(reason, name, std::strlen(name)) == 0;
    return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s%s%s; expected a file in the CIF syntax",
                        named ? "" : name, named ? "" : ": ", reason);
}

const std::string *value_at(const qn_cif_table *table, size_t row, size_t column)
{
    if (!table->loop) return table->singles[column];
    const int place = table->places[column];
    return place < 0 ? nullptr : &table->loop->val(row, static_cast<size_t>(place));
}

} // namespace

extern "C" qn_status qn_cif_table_read(const char *name, const char *data, size_t size, const char *category,
                                       const char *const *columns, size_t column_count, qn_cif_table **out) noexcept
{
    qn_cif_table *table = nullptr;
    try {
        const std::string prefix = std::string(category) + ".";
        std::vector<std::string> tags;
        for (size_t i = 0; i < column_count; i++) tags.push_back(prefix + columns[i]);
        table = new qn_cif_table;
        table->document = gemmi::cif::read_memory(data, size, name);
        for (const gemmi::cif::Block &block : table->document.blocks)
            if (select(*table, block, prefix, tags)) {
                *out = table;
                return QN_OK;
            }
        delete table;
        return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: holds no %s loop; expected coordinates", name,
                            category);
    } catch (const std::bad_alloc &) {
        delete table;
        return qn_error_set(QN_OUT_OF_MEMORY, __FILE__, __LINE__, "%s: too large for the memory", name);
    } catch (const std::exception &error) {
        delete table;
        return broken(name, error.what());
    } catch (...) {
        delete table;
        return broken(name, "cannot be parsed");
    }
}

extern "C" void qn_cif_table_destroy(qn_cif_table **table) noexcept
{
    delete *table;
    *table = nullptr;
}

extern "C" size_t qn_cif_table_rows(const qn_cif_table *table) noexcept
{
    return table->rows;
}

extern "C" int qn_cif_table_line(const qn_cif_table *table) noexcept
{
    return table->line;
}

extern "C" bool qn_cif_table_has(const qn_cif_table *table, size_t column) noexcept
{
    return table->loop ? table->places[column] >= 0 : table->singles[column] != nullptr;
}

extern "C" bool qn_cif_table_get(const qn_cif_table *table, size_t row, size_t column, qn_cif_value *value) noexcept
{
    const std::string *raw = value_at(table, row, column);
    if (!raw || raw->empty() || *raw == "." || *raw == "?") return false;
    const char first = raw->front();
    *value = {raw->data(), raw->size()};
    if ((first == '\'' || first == '"') && raw->size() >= 2) *value = {raw->data() + 1, raw->size() - 2};
    /* A text field: semicolons at line starts, the second on a line of its own. */
    if (first == ';' && raw->size() > 2 && raw->find('\n') != std::string::npos) {
        size_t length = raw->size() - 2;
        while (length > 0 && (raw->data()[length] == '\n' || raw->data()[length] == '\r')) length--;
        *value = {raw->data() + 1, length};
    }
    return true;
}

extern "C" bool qn_cif_number(qn_cif_value value, double *number) noexcept
{
    const size_t longest = 60;
    if (value.length == 0 || value.length > longest) return false;
    char text[longest + 1];
    std::memcpy(text, value.text, value.length);
    text[value.length] = '\0';
    try {
        *number = gemmi::cif::as_number(text);
    } catch (...) {
        return false;
    }
    return std::isfinite(*number);
}
