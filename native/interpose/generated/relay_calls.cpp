// Made by `python native/interpose/generate.py`: change functions.toml or generate.py, not this file.
// clang-format off
#include "generated/wrappers.hpp"
#include "relay/calls.hpp"
#include "relay/refuse.hpp"

namespace fairlead::relay {
namespace {

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allgather)>(Function::MPI_Allgather);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Iallgather)>(Function::MPI_Iallgather);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allgather_c)>(Function::MPI_Allgather_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Iallgather_c)>(Function::MPI_Iallgather_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allgatherv)>(Function::MPI_Allgatherv);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Iallgatherv)>(Function::MPI_Iallgatherv);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request); });
}

int MPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allgatherv_c)>(Function::MPI_Allgatherv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Iallgatherv_c)>(Function::MPI_Iallgatherv_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request); });
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allreduce)>(Function::MPI_Allreduce);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Iallreduce)>(Function::MPI_Iallreduce);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Allreduce_c)>(Function::MPI_Allreduce_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Iallreduce_c)>(Function::MPI_Iallreduce_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoall)>(Function::MPI_Alltoall);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ialltoall)>(Function::MPI_Ialltoall);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoall_c)>(Function::MPI_Alltoall_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ialltoall_c)>(Function::MPI_Ialltoall_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoallv)>(Function::MPI_Alltoallv);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ialltoallv)>(Function::MPI_Ialltoallv);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request); });
}

int MPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoallv_c)>(Function::MPI_Alltoallv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ialltoallv_c)>(Function::MPI_Ialltoallv_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request); });
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoallw)>(Function::MPI_Alltoallw);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    const auto later = library<decltype(wrapped::MPI_Ialltoallw)>(Function::MPI_Ialltoallw);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request); });
}

int MPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Alltoallw_c)>(Function::MPI_Alltoallw_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    const auto later = library<decltype(wrapped::MPI_Ialltoallw_c)>(Function::MPI_Ialltoallw_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request); });
}

int MPI_Barrier(MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Barrier)>(Function::MPI_Barrier);
    if (passes_by(comm)) return direct(comm);
    const auto later = library<decltype(wrapped::MPI_Ibarrier)>(Function::MPI_Ibarrier);
    return poll_through([&](MPI_Request* request) { return later(comm, request); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Bcast)>(Function::MPI_Bcast);
    if (passes_by(comm)) return direct(buffer, count, datatype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Ibcast)>(Function::MPI_Ibcast);
    return poll_through([&](MPI_Request* request) { return later(buffer, count, datatype, root, comm, request); });
}

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Bcast_c)>(Function::MPI_Bcast_c);
    if (passes_by(comm)) return direct(buffer, count, datatype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Ibcast_c)>(Function::MPI_Ibcast_c);
    return poll_through([&](MPI_Request* request) { return later(buffer, count, datatype, root, comm, request); });
}

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* comm_cart) {
    const auto direct = library<decltype(wrapped::MPI_Cart_create)>(Function::MPI_Cart_create);
    if (passes_by()) return direct(comm_old, ndims, dims, periods, reorder, comm_cart);
    return create(comm_old, comm_cart, [&] { return direct(comm_old, ndims, dims, periods, reorder, comm_cart); });
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Cart_sub)>(Function::MPI_Cart_sub);
    if (passes_by()) return direct(comm, remain_dims, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, remain_dims, newcomm); });
}

int MPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_accept)>(Function::MPI_Comm_accept);
    if (passes_by()) return direct(port_name, info, root, comm, newcomm);
    refuse("MPI_Comm_accept");
    return direct(port_name, info, root, comm, newcomm);
}

int MPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_connect)>(Function::MPI_Comm_connect);
    if (passes_by()) return direct(port_name, info, root, comm, newcomm);
    refuse("MPI_Comm_connect");
    return direct(port_name, info, root, comm, newcomm);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_create)>(Function::MPI_Comm_create);
    if (passes_by()) return direct(comm, group, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, group, newcomm); });
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_dup)>(Function::MPI_Comm_dup);
    if (passes_by()) return direct(comm, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, newcomm); });
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_dup_with_info)>(Function::MPI_Comm_dup_with_info);
    if (passes_by()) return direct(comm, info, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, info, newcomm); });
}

int MPI_Comm_join(int fd, MPI_Comm* intercomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_join)>(Function::MPI_Comm_join);
    if (passes_by()) return direct(fd, intercomm);
    refuse("MPI_Comm_join");
    return direct(fd, intercomm);
}

int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
    const auto direct = library<decltype(wrapped::MPI_Comm_spawn)>(Function::MPI_Comm_spawn);
    if (passes_by()) return direct(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
    refuse("MPI_Comm_spawn");
    return direct(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
}

int MPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
    const auto direct = library<decltype(wrapped::MPI_Comm_spawn_multiple)>(Function::MPI_Comm_spawn_multiple);
    if (passes_by()) return direct(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes);
    refuse("MPI_Comm_spawn_multiple");
    return direct(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_split)>(Function::MPI_Comm_split);
    if (passes_by()) return direct(comm, color, key, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, color, key, newcomm); });
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
    const auto direct = library<decltype(wrapped::MPI_Comm_split_type)>(Function::MPI_Comm_split_type);
    if (passes_by()) return direct(comm, split_type, key, info, newcomm);
    return create(comm, newcomm, [&] { return direct(comm, split_type, key, info, newcomm); });
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
    const auto direct = library<decltype(wrapped::MPI_Dist_graph_create)>(Function::MPI_Dist_graph_create);
    if (passes_by()) return direct(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph);
    return create(comm_old, comm_dist_graph, [&] { return direct(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph); });
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
    const auto direct = library<decltype(wrapped::MPI_Dist_graph_create_adjacent)>(Function::MPI_Dist_graph_create_adjacent);
    if (passes_by()) return direct(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph);
    return create(comm_old, comm_dist_graph, [&] { return direct(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph); });
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Exscan)>(Function::MPI_Exscan);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Iexscan)>(Function::MPI_Iexscan);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Exscan_c)>(Function::MPI_Exscan_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Iexscan_c)>(Function::MPI_Iexscan_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
    const auto direct = library<decltype(wrapped::MPI_File_open)>(Function::MPI_File_open);
    if (passes_by()) return direct(comm, filename, amode, info, fh);
    if (!is_alone(comm)) refuse("MPI_File_open");
    return direct(comm, filename, amode, info, fh);
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Gather)>(Function::MPI_Gather);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Igather)>(Function::MPI_Igather);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request); });
}

int MPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Gather_c)>(Function::MPI_Gather_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Igather_c)>(Function::MPI_Igather_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request); });
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Gatherv)>(Function::MPI_Gatherv);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Igatherv)>(Function::MPI_Igatherv);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request); });
}

int MPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Gatherv_c)>(Function::MPI_Gatherv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Igatherv_c)>(Function::MPI_Igatherv_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request); });
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* comm_graph) {
    const auto direct = library<decltype(wrapped::MPI_Graph_create)>(Function::MPI_Graph_create);
    if (passes_by()) return direct(comm_old, nnodes, index, edges, reorder, comm_graph);
    return create(comm_old, comm_graph, [&] { return direct(comm_old, nnodes, index, edges, reorder, comm_graph); });
}

int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
    const auto direct = library<decltype(wrapped::MPI_Intercomm_create_from_groups)>(Function::MPI_Intercomm_create_from_groups);
    if (passes_by()) return direct(local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler, newintercomm);
    refuse("MPI_Intercomm_create_from_groups");
    return direct(local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler, newintercomm);
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
    const auto direct = library<decltype(wrapped::MPI_Intercomm_merge)>(Function::MPI_Intercomm_merge);
    if (passes_by()) return direct(intercomm, high, newintracomm);
    return create(intercomm, newintracomm, [&] { return direct(intercomm, high, newintracomm); });
}

int MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    const auto direct = library<decltype(wrapped::MPI_Isendrecv)>(Function::MPI_Isendrecv);
    if (passes_by()) return direct(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request);
    refuse("MPI_Isendrecv");
    return direct(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request);
}

int MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    const auto direct = library<decltype(wrapped::MPI_Isendrecv_c)>(Function::MPI_Isendrecv_c);
    if (passes_by()) return direct(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request);
    refuse("MPI_Isendrecv_c");
    return direct(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request);
}

int MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    const auto direct = library<decltype(wrapped::MPI_Isendrecv_replace)>(Function::MPI_Isendrecv_replace);
    if (passes_by()) return direct(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
    refuse("MPI_Isendrecv_replace");
    return direct(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
}

int MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    const auto direct = library<decltype(wrapped::MPI_Isendrecv_replace_c)>(Function::MPI_Isendrecv_replace_c);
    if (passes_by()) return direct(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
    refuse("MPI_Isendrecv_replace_c");
    return direct(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
}

int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_allgather)>(Function::MPI_Neighbor_allgather);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_allgather)>(Function::MPI_Ineighbor_allgather);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_allgather_c)>(Function::MPI_Neighbor_allgather_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_allgather_c)>(Function::MPI_Ineighbor_allgather_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_allgatherv)>(Function::MPI_Neighbor_allgatherv);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_allgatherv)>(Function::MPI_Ineighbor_allgatherv);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request); });
}

int MPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_allgatherv_c)>(Function::MPI_Neighbor_allgatherv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_allgatherv_c)>(Function::MPI_Ineighbor_allgatherv_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request); });
}

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoall)>(Function::MPI_Neighbor_alltoall);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_alltoall)>(Function::MPI_Ineighbor_alltoall);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoall_c)>(Function::MPI_Neighbor_alltoall_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_alltoall_c)>(Function::MPI_Ineighbor_alltoall_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoallv)>(Function::MPI_Neighbor_alltoallv);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_alltoallv)>(Function::MPI_Ineighbor_alltoallv);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request); });
}

int MPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoallv_c)>(Function::MPI_Neighbor_alltoallv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_alltoallv_c)>(Function::MPI_Ineighbor_alltoallv_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request); });
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoallw)>(Function::MPI_Neighbor_alltoallw);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_alltoallw)>(Function::MPI_Ineighbor_alltoallw);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request); });
}

int MPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Neighbor_alltoallw_c)>(Function::MPI_Neighbor_alltoallw_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
    const auto later = library<decltype(wrapped::MPI_Ineighbor_alltoallw_c)>(Function::MPI_Ineighbor_alltoallw_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request); });
}

int MPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    const auto direct = library<decltype(wrapped::MPI_Precv_init)>(Function::MPI_Precv_init);
    if (passes_by()) return direct(buf, partitions, count, datatype, source, tag, comm, info, request);
    if (!is_alone(comm)) refuse("MPI_Precv_init");
    return direct(buf, partitions, count, datatype, source, tag, comm, info, request);
}

int MPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    const auto direct = library<decltype(wrapped::MPI_Psend_init)>(Function::MPI_Psend_init);
    if (passes_by()) return direct(buf, partitions, count, datatype, dest, tag, comm, info, request);
    if (!is_alone(comm)) refuse("MPI_Psend_init");
    return direct(buf, partitions, count, datatype, dest, tag, comm, info, request);
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce)>(Function::MPI_Reduce);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, root, comm);
    const auto later = library<decltype(wrapped::MPI_Ireduce)>(Function::MPI_Ireduce);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, count, datatype, op, root, comm, request); });
}

int MPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_c)>(Function::MPI_Reduce_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, root, comm);
    const auto later = library<decltype(wrapped::MPI_Ireduce_c)>(Function::MPI_Ireduce_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, count, datatype, op, root, comm, request); });
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_scatter)>(Function::MPI_Reduce_scatter);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Ireduce_scatter)>(Function::MPI_Ireduce_scatter);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, recvcounts, datatype, op, comm, request); });
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_scatter_block)>(Function::MPI_Reduce_scatter_block);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, recvcount, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Ireduce_scatter_block)>(Function::MPI_Ireduce_scatter_block);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, recvcount, datatype, op, comm, request); });
}

int MPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_scatter_block_c)>(Function::MPI_Reduce_scatter_block_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, recvcount, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Ireduce_scatter_block_c)>(Function::MPI_Ireduce_scatter_block_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, recvcount, datatype, op, comm, request); });
}

int MPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Reduce_scatter_c)>(Function::MPI_Reduce_scatter_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Ireduce_scatter_c)>(Function::MPI_Ireduce_scatter_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, recvcounts, datatype, op, comm, request); });
}

int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
    const auto direct = library<decltype(wrapped::MPI_Request_get_status_all)>(Function::MPI_Request_get_status_all);
    if (passes_by()) return direct(count, array_of_requests, flag, array_of_statuses);
    refuse("MPI_Request_get_status_all");
    return direct(count, array_of_requests, flag, array_of_statuses);
}

int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status) {
    const auto direct = library<decltype(wrapped::MPI_Request_get_status_any)>(Function::MPI_Request_get_status_any);
    if (passes_by()) return direct(count, array_of_requests, index, flag, status);
    refuse("MPI_Request_get_status_any");
    return direct(count, array_of_requests, index, flag, status);
}

int MPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[], MPI_Status array_of_statuses[]) {
    const auto direct = library<decltype(wrapped::MPI_Request_get_status_some)>(Function::MPI_Request_get_status_some);
    if (passes_by()) return direct(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    refuse("MPI_Request_get_status_some");
    return direct(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scan)>(Function::MPI_Scan);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Iscan)>(Function::MPI_Iscan);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scan_c)>(Function::MPI_Scan_c);
    if (passes_by(comm)) return direct(sendbuf, recvbuf, count, datatype, op, comm);
    const auto later = library<decltype(wrapped::MPI_Iscan_c)>(Function::MPI_Iscan_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scatter)>(Function::MPI_Scatter);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Iscatter)>(Function::MPI_Iscatter);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request); });
}

int MPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scatter_c)>(Function::MPI_Scatter_c);
    if (passes_by(comm)) return direct(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Iscatter_c)>(Function::MPI_Iscatter_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request); });
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scatterv)>(Function::MPI_Scatterv);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Iscatterv)>(Function::MPI_Iscatterv);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request); });
}

int MPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    const auto direct = library<decltype(wrapped::MPI_Scatterv_c)>(Function::MPI_Scatterv_c);
    if (passes_by(comm)) return direct(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
    const auto later = library<decltype(wrapped::MPI_Iscatterv_c)>(Function::MPI_Iscatterv_c);
    return poll_through([&](MPI_Request* request) { return later(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request); });
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
    const auto direct = library<decltype(wrapped::MPI_Session_init)>(Function::MPI_Session_init);
    if (is_inner()) return direct(info, errhandler, session);
    refuse("MPI_Session_init");
    return direct(info, errhandler, session);
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
    const auto direct = library<decltype(wrapped::MPI_Win_allocate)>(Function::MPI_Win_allocate);
    if (passes_by()) return direct(size, disp_unit, info, comm, baseptr, win);
    if (!is_alone(comm)) refuse("MPI_Win_allocate");
    return direct(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
    const auto direct = library<decltype(wrapped::MPI_Win_allocate_c)>(Function::MPI_Win_allocate_c);
    if (passes_by()) return direct(size, disp_unit, info, comm, baseptr, win);
    if (!is_alone(comm)) refuse("MPI_Win_allocate_c");
    return direct(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
    const auto direct = library<decltype(wrapped::MPI_Win_allocate_shared)>(Function::MPI_Win_allocate_shared);
    if (passes_by()) return direct(size, disp_unit, info, comm, baseptr, win);
    if (!is_alone(comm)) refuse("MPI_Win_allocate_shared");
    return direct(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
    const auto direct = library<decltype(wrapped::MPI_Win_allocate_shared_c)>(Function::MPI_Win_allocate_shared_c);
    if (passes_by()) return direct(size, disp_unit, info, comm, baseptr, win);
    if (!is_alone(comm)) refuse("MPI_Win_allocate_shared_c");
    return direct(size, disp_unit, info, comm, baseptr, win);
}

int MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
    const auto direct = library<decltype(wrapped::MPI_Win_create)>(Function::MPI_Win_create);
    if (passes_by()) return direct(base, size, disp_unit, info, comm, win);
    if (!is_alone(comm)) refuse("MPI_Win_create");
    return direct(base, size, disp_unit, info, comm, win);
}

int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
    const auto direct = library<decltype(wrapped::MPI_Win_create_c)>(Function::MPI_Win_create_c);
    if (passes_by()) return direct(base, size, disp_unit, info, comm, win);
    if (!is_alone(comm)) refuse("MPI_Win_create_c");
    return direct(base, size, disp_unit, info, comm, win);
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
    const auto direct = library<decltype(wrapped::MPI_Win_create_dynamic)>(Function::MPI_Win_create_dynamic);
    if (passes_by()) return direct(info, comm, win);
    if (!is_alone(comm)) refuse("MPI_Win_create_dynamic");
    return direct(info, comm, win);
}

}  // namespace

void put_collectives(Table& table) {
    table.put(Function::MPI_Allgather, MPI_Allgather);
    table.put(Function::MPI_Allgather_c, MPI_Allgather_c);
    table.put(Function::MPI_Allgatherv, MPI_Allgatherv);
    table.put(Function::MPI_Allgatherv_c, MPI_Allgatherv_c);
    table.put(Function::MPI_Allreduce, MPI_Allreduce);
    table.put(Function::MPI_Allreduce_c, MPI_Allreduce_c);
    table.put(Function::MPI_Alltoall, MPI_Alltoall);
    table.put(Function::MPI_Alltoall_c, MPI_Alltoall_c);
    table.put(Function::MPI_Alltoallv, MPI_Alltoallv);
    table.put(Function::MPI_Alltoallv_c, MPI_Alltoallv_c);
    table.put(Function::MPI_Alltoallw, MPI_Alltoallw);
    table.put(Function::MPI_Alltoallw_c, MPI_Alltoallw_c);
    table.put(Function::MPI_Barrier, MPI_Barrier);
    table.put(Function::MPI_Bcast, MPI_Bcast);
    table.put(Function::MPI_Bcast_c, MPI_Bcast_c);
    table.put(Function::MPI_Exscan, MPI_Exscan);
    table.put(Function::MPI_Exscan_c, MPI_Exscan_c);
    table.put(Function::MPI_Gather, MPI_Gather);
    table.put(Function::MPI_Gather_c, MPI_Gather_c);
    table.put(Function::MPI_Gatherv, MPI_Gatherv);
    table.put(Function::MPI_Gatherv_c, MPI_Gatherv_c);
    table.put(Function::MPI_Neighbor_allgather, MPI_Neighbor_allgather);
    table.put(Function::MPI_Neighbor_allgather_c, MPI_Neighbor_allgather_c);
    table.put(Function::MPI_Neighbor_allgatherv, MPI_Neighbor_allgatherv);
    table.put(Function::MPI_Neighbor_allgatherv_c, MPI_Neighbor_allgatherv_c);
    table.put(Function::MPI_Neighbor_alltoall, MPI_Neighbor_alltoall);
    table.put(Function::MPI_Neighbor_alltoall_c, MPI_Neighbor_alltoall_c);
    table.put(Function::MPI_Neighbor_alltoallv, MPI_Neighbor_alltoallv);
    table.put(Function::MPI_Neighbor_alltoallv_c, MPI_Neighbor_alltoallv_c);
    table.put(Function::MPI_Neighbor_alltoallw, MPI_Neighbor_alltoallw);
    table.put(Function::MPI_Neighbor_alltoallw_c, MPI_Neighbor_alltoallw_c);
    table.put(Function::MPI_Reduce, MPI_Reduce);
    table.put(Function::MPI_Reduce_c, MPI_Reduce_c);
    table.put(Function::MPI_Reduce_scatter, MPI_Reduce_scatter);
    table.put(Function::MPI_Reduce_scatter_block, MPI_Reduce_scatter_block);
    table.put(Function::MPI_Reduce_scatter_block_c, MPI_Reduce_scatter_block_c);
    table.put(Function::MPI_Reduce_scatter_c, MPI_Reduce_scatter_c);
    table.put(Function::MPI_Scan, MPI_Scan);
    table.put(Function::MPI_Scan_c, MPI_Scan_c);
    table.put(Function::MPI_Scatter, MPI_Scatter);
    table.put(Function::MPI_Scatter_c, MPI_Scatter_c);
    table.put(Function::MPI_Scatterv, MPI_Scatterv);
    table.put(Function::MPI_Scatterv_c, MPI_Scatterv_c);
}

void put_creations(Table& table) {
    table.put(Function::MPI_Cart_create, MPI_Cart_create);
    table.put(Function::MPI_Cart_sub, MPI_Cart_sub);
    table.put(Function::MPI_Comm_create, MPI_Comm_create);
    table.put(Function::MPI_Comm_dup, MPI_Comm_dup);
    table.put(Function::MPI_Comm_dup_with_info, MPI_Comm_dup_with_info);
    table.put(Function::MPI_Comm_split, MPI_Comm_split);
    table.put(Function::MPI_Comm_split_type, MPI_Comm_split_type);
    table.put(Function::MPI_Dist_graph_create, MPI_Dist_graph_create);
    table.put(Function::MPI_Dist_graph_create_adjacent, MPI_Dist_graph_create_adjacent);
    table.put(Function::MPI_Graph_create, MPI_Graph_create);
    table.put(Function::MPI_Intercomm_merge, MPI_Intercomm_merge);
}

void put_refusals(Table& table) {
    table.put(Function::MPI_Comm_accept, MPI_Comm_accept);
    table.put(Function::MPI_Comm_connect, MPI_Comm_connect);
    table.put(Function::MPI_Comm_join, MPI_Comm_join);
    table.put(Function::MPI_Comm_spawn, MPI_Comm_spawn);
    table.put(Function::MPI_Comm_spawn_multiple, MPI_Comm_spawn_multiple);
    table.put(Function::MPI_File_open, MPI_File_open);
    table.put(Function::MPI_Intercomm_create_from_groups, MPI_Intercomm_create_from_groups);
    table.put(Function::MPI_Isendrecv, MPI_Isendrecv);
    table.put(Function::MPI_Isendrecv_c, MPI_Isendrecv_c);
    table.put(Function::MPI_Isendrecv_replace, MPI_Isendrecv_replace);
    table.put(Function::MPI_Isendrecv_replace_c, MPI_Isendrecv_replace_c);
    table.put(Function::MPI_Precv_init, MPI_Precv_init);
    table.put(Function::MPI_Psend_init, MPI_Psend_init);
    table.put(Function::MPI_Request_get_status_all, MPI_Request_get_status_all);
    table.put(Function::MPI_Request_get_status_any, MPI_Request_get_status_any);
    table.put(Function::MPI_Request_get_status_some, MPI_Request_get_status_some);
    table.put(Function::MPI_Session_init, MPI_Session_init);
    table.put(Function::MPI_Win_allocate, MPI_Win_allocate);
    table.put(Function::MPI_Win_allocate_c, MPI_Win_allocate_c);
    table.put(Function::MPI_Win_allocate_shared, MPI_Win_allocate_shared);
    table.put(Function::MPI_Win_allocate_shared_c, MPI_Win_allocate_shared_c);
    table.put(Function::MPI_Win_create, MPI_Win_create);
    table.put(Function::MPI_Win_create_c, MPI_Win_create_c);
    table.put(Function::MPI_Win_create_dynamic, MPI_Win_create_dynamic);
}

}  // namespace fairlead::relay
