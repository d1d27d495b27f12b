/* tunnels.json, in the layout of ChannelsDB (Špačková et al. 2024), which Mol* shows. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/json.h"
#include "tunnel/run.h"

static double round_to(double value, double step)
{
    return round(value / step) * step;
}

static json_t *describe_place(const qn_line *line, size_t place)
{
    const double share = (double)place / (double)(line->count - 1), *at = line->places[place];
    const double radius = round_to(line->radii[place], 1e-4);
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i}", "Radius", radius, "FreeRadius", radius, "T",
                     round_to(share, 1e-6), "Distance", round_to(share * line->length, 1e-4), "X",
                     round_to(at[0], 1e-4), "Y", round_to(at[1], 1e-4), "Z", round_to(at[2], 1e-4), "Charge", 0);
}

/* Labels of the residues beside a part of the line, "ASP 108 A", once each, in the order in which they come. */
static json_t *list_residues(const qn_tunnel_state *run, const qn_found_tunnel *tunnel)
{
    json_t *list = json_array(), *seen = json_object();
    const size_t count = tunnel->line.count;
    for (size_t i = 0; i < tunnel->lining_end[count - 1]; i++) {
        const qn_residue *residue = &run->structure.molecule->residues[tunnel->lining[i]];
        char label[48];
        snprintf(label, sizeof label, "%s %d %s", residue->name, residue->number, residue->chain);
        if (json_object_get(seen, label)) continue;
        json_object_set_new(seen, label, json_true());
        json_array_append_new(list, qn_json_text(label));
    }
    json_decref(seen);
    return list;
}

static json_t *describe_tunnel(const qn_tunnel_state *run, const qn_found_tunnel *tunnel)
{
    json_t *profile = json_array();
    const qn_line *line = &tunnel->line;
    char id[48];
    for (size_t i = 0; i < line->count; i++) json_array_append_new(profile, describe_place(line, i));
    snprintf(id, sizeof id, "%zu.%llu", tunnel->cluster + 1, (unsigned long long)tunnel->frame + 1);
    return json_pack("{s:s, s:s, s:s, s:b, s:{s:f, s:f, s:f, s:f}, s:o, s:{s:o, s:[], s:[]}}", "Type", "Tunnel", "Id",
                     id, "Cavity", "0", "Auto", 0, "Properties", "Length", line->length, "BottleneckRadius",
                     line->radii[line->narrowest], "Cost", line->cost, "Throughput", exp(-line->cost), "Profile",
                     profile, "Layers", "ResidueFlow", list_residues(run, tunnel), "HetResidues", "LayersInfo");
}

/* Readers expect every kind of tunnel that the database has, though most are empty. */
static json_t *describe_kinds(json_t *list)
{
    static const char *const others[] = {
        "CSATunnels_MOLE",         "ReviewedChannels_MOLE",   "ReviewedChannels_Caver",   "CofactorTunnels_MOLE",
        "CofactorTunnels_Caver",   "TransmembranePores_MOLE", "TransmembranePores_Caver", "ProcognateTunnels_MOLE",
        "ProcognateTunnels_Caver", "AlphaFillTunnels_MOLE",   "AlphaFillTunnels_Caver"};
    json_t *kinds = json_pack("{s:o}", "CSATunnels_Caver", list);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) json_object_set_new(kinds, others[i], json_array());
    return kinds;
}

qn_status qn_tunnel_write_channels(qn_tunnel_state *run)
{
    json_t *list = json_array();
    char *path;
    for (size_t i = 0; i < run->tunnel_count; i++)
        if (run->tunnels[i].first) json_array_append_new(list, describe_tunnel(run, &run->tunnels[i]));
    json_t *channels = json_pack("{s:[], s:o}", "Annotations", "Channels", describe_kinds(list));
    qn_status status = qn_job_path(run->job, "tunnels.json", &path);
    if (status != QN_OK) {
        json_decref(channels);
        return status;
    }
    status = qn_json_write_file(channels, path);
    qn_release(&path);
    return status;
}
